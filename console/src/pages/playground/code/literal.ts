import type { JsonValue } from "../conversation.ts"

/** A language's syntax for JSON values. */
export interface LiteralStyle {
  readonly yes: string
  readonly no: string
  readonly nothing: string
  /** Formats the name of a property, before its colon. */
  readonly name: (name: string) => string
}

export const JSON_STYLE: LiteralStyle = {
  yes: "true",
  no: "false",
  nothing: "null",
  name: (name) => JSON.stringify(name),
}

export const JAVASCRIPT_STYLE: LiteralStyle = {
  ...JSON_STYLE,
  name: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)),
}

export const PYTHON_STYLE: LiteralStyle = {
  yes: "True",
  no: "False",
  nothing: "None",
  name: (name) => JSON.stringify(name),
}

/**
 * Writes a value as a literal. Short values are written on one line.
 * @param indent indentation of the first line.
 */
export function literal(value: JsonValue, style: LiteralStyle, indent = ""): string {
  if (value === null) return style.nothing
  if (typeof value === "boolean") return value ? style.yes : style.no
  if (typeof value !== "object") return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => literal(item, style, inner))
    return lines("[", items, "]", indent)
  }
  const members = Object.entries(value as Record<string, JsonValue>).map(
    ([name, member]) => `${style.name(name)}: ${literal(member, style, inner)}`,
  )
  return lines("{", members, "}", indent)
}

const MAX_LINE_LENGTH = 72

function lines(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return open + close
  const gap = open === "{" ? " " : ""
  const short = `${open}${gap}${items.join(", ")}${gap}${close}`
  if (short.length <= MAX_LINE_LENGTH && !short.includes("\n")) return short
  const inner = `${indent}  `
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`
}
