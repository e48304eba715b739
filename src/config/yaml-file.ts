import {
  Document,
  LineCounter,
  type Node,
  Scalar,
  type YAMLError,
  YAMLParseError,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  visit,
  type ErrorCode,
} from "yaml"
import type { ConfigProblem } from "./config-error.ts"
import { type Environment, substitute } from "./substitute.ts"
import { composeDocument, YamlNestingError } from "./yaml-document.ts"

/** The path to a value: names in mappings, numbers in lists. */
export type SettingPath = readonly PropertyKey[]

/** A number with its original text, so that no digit is lost in a floating-point number. */
export class YamlNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** Stands for a value that could not be substituted. Its problem has already been reported. */
export const UNRESOLVED = Symbol("unresolved")

/**
 * Maximum number of aliases. A larger number indicates aliases that refer to other aliases in order to multiply the
 * content.
 */
const MAXIMUM_ALIASES = 1_000

const MERGE_FAULT =
  "merges something other than names with values. Write <<: *name, with that anchor above it"

/** A settings file with its data, and with the position of each value in the text. */
export class YamlFile {
  /** Problems of the text itself. */
  readonly problems: readonly ConfigProblem[]
  /** The data as plain objects, with `YamlNumber` for numbers; undefined if the text cannot be parsed. */
  readonly value: unknown = undefined
  readonly #name: string
  readonly #document: Document
  readonly #lines = new LineCounter()

  /** @param name the path of the file as the operator named it. */
  constructor(name: string, text: string, environment: Environment) {
    this.#name = name
    try {
      this.#document = composeDocument(text, this.#lines)
    } catch (error) {
      if (!(error instanceof YamlNestingError)) throw error
      this.#document = new Document()
      this.problems = [this.#problemAt(error.offset, error.message, "")]
      return
    }
    const repeated = repeatedNames(this.#document)
    const problems = [...this.#syntaxProblems(text, repeated), ...this.#prepare(environment)]
    try {
      const isReadable = this.#document.errors.length === 0
      if (isReadable) this.value = this.#document.toJS({ maxAliasCount: MAXIMUM_ALIASES })
    } catch {
      problems.push(
        this.#problemAt(
          0,
          "the aliases (*name) expand to too many values. Write the values out",
          "",
        ),
      )
    }
    this.problems = problems
  }

  /** Returns a problem with the value at `path`, or with `name` in that value if `name` is given. */
  problem(path: SettingPath, message: string, name?: string): ConfigProblem {
    let node: Node | undefined = this.#resolve(this.#document.contents)
    let offset = this.#document.contents?.range?.[0] ?? 0
    const steps = name === undefined ? path : [...path, name]
    for (const [index, step] of steps.entries()) {
      const next: ChildNode | undefined = node && this.#child(node, step)
      if (!next) break
      const last = index === steps.length - 1
      const named = last && name !== undefined ? next.name : (next.value ?? next.name)
      offset = named?.range?.[0] ?? offset
      node = this.#resolve(next.value)
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

  /** Substitutes variables and preserves the digits of numbers in each scalar. */
  #prepare(environment: Environment): ConfigProblem[] {
    const problems: ConfigProblem[] = []
    const report = (node: Node, message: string, path = "") =>
      problems.push(this.#problemAt(node.range?.[0] ?? 0, message, path))
    visit(this.#document, {
      Alias: (_key, alias) => {
        if (alias.resolve(this.#document)) return
        report(alias, "no anchor of this name comes before the alias")
        return hole(alias)
      },
      Pair: (_key, pair) => {
        const { key } = pair
        if (isMerge(pair)) {
          if (this.#mergeSources(pair.value).every(isMap)) return
          report(key as Node, MERGE_FAULT)
          return visit.REMOVE
        }
        if (isScalar(key) && key.value !== "__proto__") return
        report(key as Node, "this cannot be the name of a setting")
        return visit.REMOVE
      },
      Scalar: (key, scalar, ancestors) => {
        if (key === "key") return
        if (typeof scalar.value === "number") {
          scalar.value = new YamlNumber(scalar.source ?? String(scalar.value))
        }
        if (typeof scalar.value !== "string") return
        const { text, faults } = substitute(scalar.value, environment)
        for (const fault of faults) report(scalar, fault, showPath(pathOf(ancestors, scalar)))
        scalar.value = faults.length === 0 ? text : UNRESOLVED
      },
    })
    return problems
  }

  /** Returns the mappings that a merge key refers to, and any invalid values. */
  #mergeSources(value: unknown): unknown[] {
    const source = this.#resolve(value)
    return isSeq(source) ? source.items.map((item) => this.#resolve(item)) : [source]
  }

  /** Returns the value one step below a node. A mapping also contains its merged values. */
  #child(node: Node, step: PropertyKey, seen = new Set<Node>()): ChildNode | undefined {
    const own = child(node, step)
    if (own || !isMap(node) || seen.has(node)) return own
    seen.add(node)
    for (const pair of node.items.filter(isMerge)) {
      for (const source of this.#mergeSources(pair.value)) {
        const merged = isMap(source) ? this.#child(source, step, seen) : undefined
        if (merged) return merged
      }
    }
    return undefined
  }

  #resolve(node: unknown): Node | undefined {
    if (isAlias(node)) return node.resolve(this.#document)
    return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined
  }
}

/** Returns names that occur twice in a mapping, including names that are written differently, such as `1` and `"1"`. */
function repeatedNames(document: Document): YAMLError[] {
  const repeated: YAMLError[] = []
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const name = String(key.value ?? "")
        const { range } = key
        if (names.has(name) && range) {
          const position: [number, number] = [range[0], range[1]]
          repeated.push(new YAMLParseError(position, "DUPLICATE_KEY", "Map keys must be unique"))
        }
        names.add(name)
      }
    },
  })
  return repeated
}

/** Whether a pair is `<<: *name`. */
function isMerge({ key }: { readonly key: unknown }): boolean {
  return isScalar(key) && typeof key.value === "symbol"
}

function hole(node: Node): Scalar {
  const scalar = new Scalar(UNRESOLVED)
  if (node.range) scalar.range = node.range
  return scalar
}

interface ChildNode {
  readonly name?: Node
  readonly value?: Node
}

function child(node: Node, step: PropertyKey): ChildNode | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(step)]
    return value === undefined ? undefined : { value: value as Node }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
  return pair && { name: pair.key as Node, ...(pair.value ? { value: pair.value as Node } : {}) }
}

function pathOf(ancestors: readonly unknown[], scalar: unknown): PropertyKey[] {
  const path: PropertyKey[] = []
  for (const [index, ancestor] of ancestors.entries()) {
    if (isSeq(ancestor)) path.push(ancestor.items.indexOf(ancestors[index + 1] ?? scalar))
    if (isMap(ancestor)) {
      const pair = ancestors[index + 1] as { key?: unknown } | undefined
      if (isScalar(pair?.key)) path.push(String(pair.key.value))
    }
  }
  return path
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
