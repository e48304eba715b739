import {
  type Alias,
  type Document,
  type Node,
  type Pair,
  type YAMLError,
  YAMLParseError,
  type YAMLMap,
  isAlias,
  isMap,
  isScalar,
  isSeq,
} from "yaml"
import { type Environment, substitute } from "./substitute.ts"

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

/** Maximum number of values that all aliases of a file may add. A larger number indicates nested aliases. */
const MAX_ALIAS_VALUES = 200_000

const MERGE_FAULT =
  "merges something other than names with values. Write <<: *name, with that anchor above it"

/** A problem with one node of the document. */
export interface NodeProblem {
  readonly node: Node
  readonly message: string
  readonly path: SettingPath
}

/** The error for aliases that multiply the content of the file, or that contain themselves. */
class ExpansionError extends Error {}

/** An anchored value. Its fields are undefined until all of it has been read. */
interface Anchored {
  readonly node: Node
  value?: unknown
  /** The number of values that an alias of it adds. */
  values?: number
}

/**
 * Converts a document to plain data in one pass. The library's own conversion searches the whole document for each
 * alias.
 */
export class YamlReader {
  readonly problems: NodeProblem[] = []
  /** Names that occur twice in a mapping, including names that are written differently, such as `1` and `"1"`. */
  readonly repeated: YAMLError[] = []
  readonly #environment: Environment
  /** The last anchor of each name so far. */
  readonly #anchors = new Map<string, Anchored>()
  readonly #targets = new Map<Alias, Node>()
  readonly #path: PropertyKey[] = []
  #ownValues = 0
  #aliasValues = 0

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /**
   * Reads the data as plain objects, with `YamlNumber` for numbers. Variables are substituted.
   * @returns undefined if the aliases expand to too many values.
   */
  read({ contents }: Document): { readonly value: unknown } | undefined {
    try {
      return { value: this.#read(contents) }
    } catch (error) {
      if (error instanceof ExpansionError) return undefined
      throw error
    }
  }

  /** Returns the node that a node stands for; undefined for an alias without an anchor. */
  resolve(node: unknown): Node | undefined {
    if (isAlias(node)) return this.#targets.get(node)
    return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined
  }

  /** Returns the mappings that a merge key refers to, and any invalid values. */
  mergeSources({ value }: Pair): unknown[] {
    const source = this.resolve(value)
    return isSeq(source) ? source.items.map((item) => this.resolve(item)) : [source]
  }

  #read(node: unknown): unknown {
    if (isAlias(node)) return this.#readAlias(node)
    const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined
    if (anchor === undefined) return this.#readOwn(node)
    const anchored: Anchored = { node: node as Node }
    this.#anchors.set(anchor, anchored)
    const before = this.#ownValues + this.#aliasValues
    anchored.value = this.#readOwn(node)
    anchored.values = this.#ownValues + this.#aliasValues - before
    return anchored.value
  }

  #readOwn(node: unknown): unknown {
    this.#ownValues++
    if (isMap(node)) return this.#readMap(node)
    if (isSeq(node)) {
      return node.items.map((item, index) => this.#readAt(index, item))
    }
    if (!isScalar(node)) return null
    const { value } = node
    if (typeof value === "number") return new YamlNumber(node.source ?? String(value))
    if (typeof value !== "string") return value
    const { text, faults } = substitute(value, this.#environment)
    for (const fault of faults) this.#report(node, fault, [...this.#path])
    return faults.length === 0 ? text : UNRESOLVED
  }

  #readAlias(alias: Alias): unknown {
    const anchored = this.#anchors.get(alias.source)
    if (anchored === undefined) {
      this.#report(alias, "no anchor of this name comes before the alias")
      return UNRESOLVED
    }
    this.#aliasValues += anchored.values ?? Infinity
    if (this.#aliasValues > MAX_ALIAS_VALUES) throw new ExpansionError()
    this.#targets.set(alias, anchored.node)
    return anchored.value
  }

  #readAt(step: PropertyKey, node: unknown): unknown {
    this.#path.push(step)
    const value = this.#read(node)
    this.#path.pop()
    return value
  }

  #readMap({ items }: YAMLMap): Record<string, unknown> {
    const data: Record<string, unknown> = {}
    const names = new Set<string>()
    for (const pair of items) {
      const key = pair.key as Node
      if (!isScalar(key) || key.value === "__proto__") {
        this.#report(key, "this cannot be the name of a setting")
        continue
      }
      const name = String(key.value ?? "")
      if (names.has(name)) this.#reportRepeated(key)
      names.add(name)
      if (key.anchor !== undefined) {
        this.#anchors.set(key.anchor, { node: key, value: name, values: 1 })
      }
      if (isMerge(pair)) this.#merge(data, pair)
      else data[name] = this.#readAt(name, pair.value)
    }
    return data
  }

  /** Adds the names of the merged mappings that a mapping does not have yet. */
  #merge(data: Record<string, unknown>, pair: Pair): void {
    const reported = this.problems.length
    const read = this.#read(pair.value)
    if (!this.mergeSources(pair).every(isMap)) {
      this.problems.length = reported
      this.#report(pair.key as Node, MERGE_FAULT)
      return
    }
    for (const source of Array.isArray(read) ? read : [read]) {
      for (const [name, value] of Object.entries(source as object)) {
        if (!Object.hasOwn(data, name)) data[name] = value
      }
    }
  }

  #report(node: Node, message: string, path: SettingPath = []): void {
    this.problems.push({ node, message, path })
  }

  #reportRepeated({ range }: Node): void {
    if (!range) return
    const position: [number, number] = [range[0], range[1]]
    this.repeated.push(new YAMLParseError(position, "DUPLICATE_KEY", "Map keys must be unique"))
  }
}

/** Whether a pair is `<<: *name`. */
export function isMerge({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === "symbol"
}
