//! Finds the source line of a place and the underlined part of it.

use aback_ir::Span;
use std::ops::Range;

/// A source line with a place in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt<'a> {
    /// The line without its line end.
    pub(crate) text: &'a str,
    /// The underlined part, in bytes of `text`, within `text` and at character boundaries.
    pub(crate) highlight: Range<usize>,
}

impl<'a> Excerpt<'a> {
    /// The line of `source` that contains `span`, if there is one. Columns past the end of the line refer to the
    /// position just behind it, and a length past the end is cut. Without a column, the whole line except its
    /// indentation is underlined.
    pub(crate) fn new(source: &'a str, span: Span) -> Option<Excerpt<'a>> {
        let index = (span.line as usize).checked_sub(1)?;
        let text = source.split('\n').nth(index)?;
        let text = text.strip_suffix('\r').unwrap_or(text);
        let byte = |character: usize| text.char_indices().nth(character).map_or(text.len(), |(byte, _)| byte);
        let highlight = match span.column as usize {
            0 => {
                let start = text.len() - text.trim_start().len();
                start..text.trim_end().len().max(start)
            }
            column => {
                let start = column - 1;
                byte(start)..byte(start.saturating_add((span.length as usize).max(1)))
            }
        };
        Some(Excerpt { text, highlight })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_ir::FileId;
    use proptest::prelude::*;

    /// Compares the line and its underlined part.
    fn check(source: &str, (line, column, length): (u32, u32, u32), expected: Option<(&str, &str)>) {
        let excerpt = Excerpt::new(source, Span { file: FileId(0), line, column, length });
        let found = excerpt.as_ref().map(|e| (e.text, &e.text[e.highlight.clone()]));
        assert_eq!(found, expected);
    }

    #[test]
    fn columns_and_lengths_count_characters() {
        check("a\nxäö = y;\n", (2, 2, 2), Some(("xäö = y;", "äö")));
        check("日本 = 1", (1, 2, 1), Some(("日本 = 1", "本")));
    }

    #[test]
    fn line_ends_are_not_part_of_the_line() {
        check("a\r\nbc\r\n", (2, 1, 9), Some(("bc", "bc")));
        check("a\r\nbc", (2, 2, 9), Some(("bc", "c")));
    }

    #[test]
    fn without_a_column_the_text_of_the_line_is_underlined() {
        check("\tx = 1;  ", (1, 0, 0), Some(("\tx = 1;  ", "x = 1;")));
        check("   ", (1, 0, 0), Some(("   ", "")));
    }

    #[test]
    fn places_outside_are_moved_to_the_nearest_inside() {
        check("ab", (1, 9, 3), Some(("ab", "")));
        check("ab", (1, 2, u32::MAX), Some(("ab", "b")));
        check("ab", (1, u32::MAX, u32::MAX), Some(("ab", "")));
        check("ab", (0, 1, 1), None);
        check("ab", (2, 1, 1), None);
    }

    proptest! {
        #[test]
        fn every_place_gives_a_valid_excerpt(
            source in "(\\PC|[\r\n\t\u{0}\u{301}\u{200d}]){0,100}",
            line in 0..8u32, column in 0..120u32, length in 0..120u32,
        ) {
            if let Some(excerpt) = Excerpt::new(&source, Span { file: FileId(0), line, column, length }) {
                prop_assert!(excerpt.text.get(excerpt.highlight.clone()).is_some());
                prop_assert!(!excerpt.text.contains('\n'));
            }
        }
    }
}
