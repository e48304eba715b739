import {
  Document,
  type ErrorCode,
  LineCounter,
  type Node,
  type Pair,
  type YAMLError,
  type YAMLMap,
  isMap,
  isScalar,
  isSeq,
} from "yaml"
import type { ConfigProblem } from "./config-error.ts"
import type { Environment } from "./substitute.ts"
import { composeDocument, YamlNestingError } from "./yaml-document.ts"
import { isMerge, type SettingPath, YamlReader } from "./yaml-value.ts"

const EXPANSION_FAULT = "the aliases (*name) expand to too many values. Write the values out"

/** A settings file with its data, and with the position of each value in the text. */
export class YamlFile {
  /** Problems of the text itself. */
  readonly problems: readonly ConfigProblem[]
  /** The data as plain objects, with `YamlNumber` for numbers; undefined if the text cannot be parsed. */
  readonly value: unknown = undefined
  readonly #name: string
  readonly #document: Document
  readonly #lines = new LineCounter()
  readonly #reader: YamlReader
  readonly #pairs = new Map<YAMLMap, Map<string, Pair>>()

  /** @param name the path of the file as the operator named it. */
  constructor(name: string, text: string, environment: Environment) {
    this.#name = name
    this.#reader = new YamlReader(environment)
    try {
      this.#document = composeDocument(text, this.#lines)
    } catch (error) {
      if (!(error instanceof YamlNestingError)) throw error
      this.#document = new Document()
      this.problems = [this.#problemAt(error.offset, error.message, "")]
      return
    }
    const read = this.#reader.read(this.#document)
    const { problems, repeated } = this.#reader
    this.problems = [
      ...this.#syntaxProblems(text, repeated),
      ...problems.map(({ node, message, path }) =>
        this.#problemAt(node.range?.[0] ?? 0, message, showPath(path)),
      ),
      ...(read === undefined ? [this.#problemAt(0, EXPANSION_FAULT, "")] : []),
    ]
    if (this.#document.errors.length === 0) this.value = read?.value
  }

  /** Returns a problem with the value at `path`, or with `name` in that value if `name` is given. */
  problem(path: SettingPath, message: string, name?: string): ConfigProblem {
    let node: Node | undefined = this.#reader.resolve(this.#document.contents)
    let offset = this.#document.contents?.range?.[0] ?? 0
    const steps = name === undefined ? path : [...path, name]
    for (const [index, step] of steps.entries()) {
      const next: ChildNode | undefined = node && this.#child(node, step)
      if (!next) break
      const last = index === steps.length - 1
      const named = last && name !== undefined ? next.name : (next.value ?? next.name)
      offset = named?.range?.[0] ?? offset
      node = this.#reader.resolve(next.value)
    }
    return this.#problemAt(offset, message, showPath(path))
  }

  #problemAt(offset: number, message: string, path: string): ConfigProblem {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.#name, line: Math.max(line, 1), column: Math.max(col, 1), path, message }
  }

  /**
   * Returns one problem per line. Only the first unexpected token is reported, because it usually causes the later
   * ones.
   */
  #syntaxProblems(text: string, repeated: readonly YAMLError[]): ConfigProblem[] {
    const problems = new Map<number | undefined, ConfigProblem>()
    let stray = false
    const { errors, warnings } = this.#document
    for (const error of byPosition([...errors, ...warnings, ...repeated])) {
      const problem = this.#problemAt(error.pos[0], yamlFault(error, text), "")
      if (problems.has(problem.line) || (stray && error.code === "UNEXPECTED_TOKEN")) continue
      stray ||= error.code === "UNEXPECTED_TOKEN"
      problems.set(problem.line, problem)
    }
    return [...problems.values()]
  }

  /** Returns the value one step below a node. A mapping also contains its merged values. */
  #child(node: Node, step: PropertyKey, seen = new Set<Node>()): ChildNode | undefined {
    if (isSeq(node)) {
      const value = node.items[Number(step)]
      return value === undefined ? undefined : { value: value as Node }
    }
    if (!isMap(node) || seen.has(node)) return undefined
    const own = this.#pairOf(node, String(step))
    if (own) return { name: own.key as Node, ...(own.value ? { value: own.value as Node } : {}) }
    seen.add(node)
    for (const pair of node.items.filter(isMerge)) {
      for (const source of this.#reader.mergeSources(pair)) {
        const merged = isMap(source) ? this.#child(source, step, seen) : undefined
        if (merged) return merged
      }
    }
    return undefined
  }

  /** Returns the pair of a name in a mapping. Pairs are indexed, because a file may have thousands of problems. */
  #pairOf(node: YAMLMap, name: string): Pair | undefined {
    let pairs = this.#pairs.get(node)
    if (pairs === undefined) {
      pairs = new Map()
      for (const pair of node.items.toReversed()) {
        if (isScalar(pair.key)) pairs.set(String(pair.key.value), pair)
      }
      this.#pairs.set(node, pairs)
    }
    return pairs.get(name)
  }
}

interface ChildNode {
  readonly name?: Node
  readonly value?: Node
}

function byPosition(errors: readonly YAMLError[]): YAMLError[] {
  return errors.toSorted((left, right) => left.pos[0] - right.pos[0])
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/
const MODEL_NAME = /^[^\s\p{C}]{1,200}$/u

/** Whether a name may be printed. A name that contains its value, such as `api_key:sk-...`, may not. */
export function isPrintableName(name: string): boolean {
  return PLAIN_NAME.test(name)
}

/** Formats a path such as `models.local/llama.deployments[0].provider`. */
export function showPath(path: SettingPath): string {
  let shown = ""
  for (const [index, step] of path.entries()) {
    const modelName = index === 1 && path[0] === "models" && MODEL_NAME.test(String(step))
    const name = isPrintableName(String(step)) || modelName ? String(step) : "(a name)"
    if (typeof step === "number") shown += `[${step}]`
    else shown += shown === "" ? name : `.${name}`
  }
  return shown
}

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
function yamlFault(error: YAMLError, text: string): string {
  const before = text.slice(0, error.pos[0])
  if (error.code === "UNEXPECTED_TOKEN" && before.endsWith("$")) {
    return 'inside braces a ${...} must be in quotes: "${NAME}"'
  }
  return WORDS[error.code] ?? "this is not valid YAML. Check the quotes, brackets and indentation"
}
