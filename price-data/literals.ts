/**
 * A value that a literal in the source code of another program describes. A call has named arguments, or arguments in
 * their order.
 */
export type Literal =
  | string
  | number
  | boolean
  | null
  | Literal[]
  | { [name: string]: Literal }
  | Call

/** A call of a constructor, such as `Decimal('8')` or `Tier(start=0, price=Decimal('8'))`. */
export class Call {
  readonly name: string
  readonly ordered: readonly Literal[]
  readonly named: { readonly [name: string]: Literal }

  constructor(
    name: string,
    ordered: readonly Literal[],
    named: { readonly [name: string]: Literal },
  ) {
    this.name = name
    this.ordered = ordered
    this.named = named
  }
}

const WORDS: Readonly<Record<string, Literal>> = {
  True: true,
  False: false,
  None: null,
  true: true,
  false: false,
  null: null,
}
const SPACE = /(?:\s|#[^\n]*)*/y
const NUMBER = /-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
const WORD = /[A-Za-z_$][\w$.-]*/y
const TEXT = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|`(?:[^`\\]|\\[^])*`/y
/** Matches `!0` and `!1`, which minifiers write for true and false. */
const BANG = /!(?<digit>[01])/y
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\n": "" }

/**
 * Parses the literal that starts at `start` in Python or JavaScript source. No code is run.
 * @throws SyntaxError if the source contains more than a literal.
 */
export function readLiteral(source: string, start: number): Literal {
  return new LiteralReader(source, start).value()
}

class LiteralReader {
  readonly #source: string
  #at: number

  constructor(source: string, start: number) {
    this.#source = source
    this.#at = start
  }

  value(): Literal {
    const first = this.#peek()
    if (first === "[" || first === "(") return this.#list(first === "[" ? "]" : ")")
    if (first === "{") return this.#record()
    const bang = this.#take(BANG)
    if (bang !== undefined) return bang === "!0"
    const number = this.#take(NUMBER)
    if (number !== undefined) return Number(number)
    const text = this.#text()
    if (text !== undefined) return text
    const word = this.#take(WORD)
    if (word === undefined) throw this.#unexpected()
    if (this.#peek() === "(") return this.#call(word)
    // The name of a constant, such as `datetime.UTC`, is returned as text.
    const known = WORDS[word] ?? (word.includes(".") ? word : undefined)
    if (known === undefined && word !== "None" && word !== "null") throw this.#unexpected()
    return known ?? null
  }

  #list(end: string): Literal[] {
    this.#at++
    const items: Literal[] = []
    while (!this.#closes(end)) items.push(this.value())
    return items
  }

  #record(): Literal {
    this.#at++
    const record: { [name: string]: Literal } = {}
    while (!this.#closes("}")) {
      const name = this.#text() ?? this.#take(WORD) ?? this.#take(NUMBER)
      if (name === undefined || this.#peek() !== ":") throw this.#unexpected()
      this.#at++
      record[name] = this.value()
    }
    return record
  }

  #call(name: string): Call {
    this.#at++
    const ordered: Literal[] = []
    const named: { [name: string]: Literal } = {}
    while (!this.#closes(")")) {
      const before = this.#at
      const word = this.#take(WORD)
      if (word !== undefined && this.#peek() === "=") {
        this.#at++
        named[word] = this.value()
      } else {
        this.#at = before
        ordered.push(this.value())
      }
    }
    return new Call(name, ordered, named)
  }

  /** Consecutive strings are joined, as in Python. */
  #text(): string | undefined {
    let whole: string | undefined
    for (let part = this.#take(TEXT); part !== undefined; part = this.#take(TEXT)) {
      whole = (whole ?? "") + unescaped(part.slice(1, -1))
    }
    return whole
  }

  #closes(end: string): boolean {
    if (this.#peek() === ",") this.#at++
    if (this.#peek() !== end) return false
    this.#at++
    return true
  }

  #peek(): string | undefined {
    SPACE.lastIndex = this.#at
    SPACE.exec(this.#source)
    this.#at = SPACE.lastIndex
    return this.#source[this.#at]
  }

  #take(pattern: RegExp): string | undefined {
    this.#peek()
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#source) ?? []
    if (found !== undefined) this.#at += found.length
    return found
  }

  #unexpected(): SyntaxError {
    const shown = this.#source.slice(this.#at, this.#at + 40)
    return new SyntaxError(`not a literal at ${this.#at}: ${shown}`)
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\da-f]{4})|x([\da-f]{2})|([^]))/gi, (_, wide, narrow, one) => {
    const code = wide ?? narrow
    return code === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(parseInt(code, 16))
  })
}
