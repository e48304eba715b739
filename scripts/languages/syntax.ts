import { readFileSync } from "node:fs"
import { parseSync } from "oxc-parser"

/** A node of the syntax tree, as the parser returns it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

export interface Source {
  readonly path: string
  readonly text: string
  readonly program: Node
  /** Returns the place of a node, such as `console/src/main.tsx:12`. */
  placeOf(node: Node): string
}

export function readSource(path: string): Source {
  return parseSource(path, readFileSync(path, "utf8"))
}

export function parseSource(path: string, text: string): Source {
  const program = parseSync(path, text).program as unknown as Node
  const placeOf = ({ start }: Node) => `${path}:${text.slice(0, start).split("\n").length}`
  return { path, text, program, placeOf }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value
}

/**
 * Calls a function for each node, parents first.
 * @param visit receives the node and its parents, the nearest one last. Returns false to skip the node's children.
 */
export function walk(
  node: unknown,
  visit: (node: Node, parents: readonly Node[]) => boolean | void,
  parents: readonly Node[] = [],
): void {
  if (Array.isArray(node)) {
    for (const child of node) walk(child, visit, parents)
    return
  }
  if (!isNode(node) || visit(node, parents) === false) return
  const inner = [...parents, node]
  for (const child of Object.values(node)) walk(child, visit, inner)
}

/** Returns the name of a called function; undefined if it has no plain name. */
export function calleeOf({ type, callee }: Node): string | undefined {
  if (type !== "CallExpression" || !isNode(callee) || callee.type !== "Identifier") return undefined
  return String(callee["name"])
}

/** Returns the text of a literal without values; undefined for other nodes. */
export function literalText(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === "Literal") {
    return typeof node["value"] === "string" ? node["value"] : undefined
  }
  if (node.type !== "TemplateLiteral") return undefined
  const quasis = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[]
  return quasis.length === 1 ? quasis[0]?.value.cooked : undefined
}
