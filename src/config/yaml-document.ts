import { Composer, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from "yaml"

/**
 * Maximum nesting; settings have about ten levels. Composing takes quadratic time and memory in the
 * number of levels.
 */
const MAX_LEVELS = 100
const NESTING_FAULT = `lists and mappings are nested more than ${MAX_LEVELS} levels deep`

/** The error for lists and mappings that are nested too deeply. */
export class YamlNestingError extends Error {
  /** The offset in the text. */
  readonly offset: number

  constructor(offset: number) {
    super(NESTING_FAULT)
    this.offset = offset
  }
}

/**
 * Composes the document of a text like the library's own function, unless it is nested too deeply.
 * @throws YamlNestingError
 */
export function composeDocument(text: string, lines: LineCounter): Document {
  const composer = new Composer({
    lineCounter: lines,
    prettyErrors: false,
    // `<<: *name` is YAML 1.1, which most people use when they write YAML by hand.
    merge: true,
    // The library compares each name with all earlier ones, which takes seconds for thousands of
    // models.
    uniqueKeys: false,
  })
  const [first, second] = composer.compose(tokensOf(text, lines), true, text.length)
  if (!first) throw new Error("the composer has made no document")
  if (second) {
    const place: [number, number] = [second.range[0], second.range[1]]
    first.errors.push(new YAMLParseError(place, "MULTIPLE_DOCS", "several documents"))
  }
  return first
}

function* tokensOf(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    // The stack has an element for each open list and mapping.
    if (parser.stack.length > MAX_LEVELS) throw new YamlNestingError(parser.offset)
  }
  yield* parser.end()
}
