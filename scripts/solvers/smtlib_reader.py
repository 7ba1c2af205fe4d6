"""Splits SMT-LIB from a stream into commands."""


def commands(lines):
    """Complete commands: lines until their parentheses are balanced, outside of strings and quoted symbols."""
    text, depth, quote = [], 0, None
    for line in lines:
        for character in line:
            if quote:
                quote = None if character == quote else quote
            elif character in '"|':
                quote = character
            elif character == ";":
                break
            else:
                depth += (character == "(") - (character == ")")
        text.append(line)
        if depth <= 0 and not quote:
            yield "".join(text)
            text, depth = [], 0
