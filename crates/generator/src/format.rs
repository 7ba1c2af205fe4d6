//! Lays out generated text for readability.

/// Indents lines by the braces around them. The lines of text blocks stay as they are.
pub(crate) fn indent(text: &str) -> String {
    let mut laid_out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_text_block) = (0_usize, false);
    for line in text.lines() {
        let was_in_text_block = in_text_block;
        if line.matches("\"\"\"").count() % 2 == 1 {
            in_text_block = !in_text_block;
        }
        if was_in_text_block {
            laid_out += line;
            laid_out.push('\n');
            continue;
        }
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let leading = line.bytes().take_while(|&byte| byte == b'}').count();
        let (opened, closed) = braces(line);
        laid_out.extend(std::iter::repeat_n("    ", depth.saturating_sub(leading)));
        laid_out += line;
        laid_out.push('\n');
        depth = (depth + opened).saturating_sub(closed);
    }
    laid_out
}

/// The number of braces that a line opens and closes, outside of literals.
fn braces(line: &str) -> (usize, usize) {
    let (mut opened, mut closed, mut quote) = (0, 0, None);
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', Some(_)) => _ = chars.next(),
            (_, Some(end)) if char == end => quote = None,
            ('"' | '\'', None) => quote = Some(char),
            ('{', None) => opened += 1,
            ('}', None) => closed += 1,
            _ => {}
        }
    }
    (opened, closed)
}
