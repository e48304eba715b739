import type { ErrorCode, YAMLError } from "yaml"

/** Replacements for the library's messages, which quote the invalid text. That text may be a secret. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: "this alias (*name) is not valid here",
  BAD_DIRECTIVE: "this directive is not known. Remove the line",
  BAD_DQ_ESCAPE: "this backslash escape is unknown. Double the backslash, or use single quotes",
  BAD_INDENT: "the indentation is wrong. Align it with its neighbours and close every bracket",
  BAD_SCALAR_START: "a value cannot start with this character. Put the value in quotes",
  BLOCK_AS_IMPLICIT_KEY: "a second 'name: value' starts on the same line. Put the value in quotes",
  BLOCK_IN_FLOW: "inside braces or brackets everything must be separated by commas",
  DUPLICATE_KEY: "this name is set twice. Keep one of the two",
  MISSING_CHAR:
    "a character is missing: a closing quote, a bracket, a comma, or the ': ' after a name",
  MULTILINE_IMPLICIT_KEY: "the line above has no ': ' between its name and its value",
  MULTIPLE_DOCS: "a second document starts here. Keep one, without '---' between",
  TAB_AS_INDENT: "a tab is used as indentation. Use spaces",
  TAG_RESOLVE_FAILED: "this tag (!name) is unknown. Put the value in quotes if it starts with '!'",
  UNEXPECTED_TOKEN:
    "this does not belong here. Check the quotes, brackets and indentation before it",
}

/** Describes a YAML error without quoting the text. */
export function yamlFault(error: YAMLError, text: string): string {
  const before = text.slice(0, error.pos[0])
  if (error.code === "UNEXPECTED_TOKEN" && before.endsWith("$")) {
    return 'inside braces a ${...} must be in quotes: "${NAME}"'
  }
  return WORDS[error.code] ?? "this is not valid YAML. Check the quotes, brackets and indentation"
}
