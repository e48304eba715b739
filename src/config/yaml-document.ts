import { Composer, type Document, Lexer, type LineCounter, Parser, YAMLParseError } from "yaml"

/**
 * Maximum nesting. Settings have about ten levels. Composing a document takes time and memory quadratic in the number
 * of levels.
 */
const MAX_LEVELS = 100
const NESTING_FAULT = `lists and mappings are nested more than ${MAX_LEVELS} levels deep`

/** The error for lists and mappings that are nested too deeply. */
export class YamlNestingError extends Error {
  /** The position of the excessive nesting in the text. */
  readonly offset: number

  constructor(offset: number) {
    super(NESTING_FAULT)
    this.offset = offset
  }
}

/**
 * Composes a document like the library's own function, but rejects excessive nesting.
 * @throws YamlNestingError
 */
export function composeDocument(text: string, lines: LineCounter): Document {
  const composer = new Composer({
    lineCounter: lines,
    prettyErrors: false,
    // `<<: *name` belongs to YAML 1.1, but is common in handwritten YAML.
    merge: true,
    // The library would compare each name with all earlier names, which takes seconds for thousands of models.
    uniqueKeys: false,
  })
  const [first, second] = composer.compose(tokensOf(text, lines), true, text.length)
  if (!first) throw new Error("the composer returned no document")
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
    // The stack has one element for each open list or mapping.
    if (parser.stack.length > MAX_LEVELS) throw new YamlNestingError(parser.offset)
  }
  yield* parser.end()
}
