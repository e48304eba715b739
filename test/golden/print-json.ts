import { isJsonObject, type JsonValue } from "../../src/canon/json.ts"

const WIDTH = 100

/** Formats JSON for readers. The indentation is two spaces, and a value is on one line if it fits. */
export function printJson(value: JsonValue): string {
  return `${print(value, "", 0)}\n`
}

/** @param used number of characters that are already on the line. */
function print(value: JsonValue | undefined, indent: string, used: number): string {
  const line = onOneLine(value)
  if (indent.length + used + line.length <= WIDTH) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = value.map((item) => inner + print(item, inner, 1))
    return `[\n${items.join(",\n")}\n${indent}]`
  }
  if (!isJsonObject(value)) return line
  const members = Object.entries(value).map(([name, member]) => {
    const key = `${JSON.stringify(name)}: `
    return inner + key + print(member, inner, key.length + 1)
  })
  return `{\n${members.join(",\n")}\n${indent}}`
}

function onOneLine(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${onOneLine(member)}`,
  )
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}
