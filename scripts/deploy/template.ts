import { stringify } from "yaml"

/** The objects that templates refer to: `.Values`, `.Release`, `.Chart`. */
export type Scope = Readonly<Record<string, unknown>>

const ACTION = /^\s*\{\{- (.+) \}\}$/
const INLINE = /\{\{ (\.[\w.]+)( \| quote)? \}\}/g
const BLOCK = /^(toYaml )?(\.[\w.]+) \| nindent (\d+)$/

/**
 * Renders the subset of Helm's templates that this chart uses: `if`, `if eq`, `else`, `end`, values, `quote`, and
 * indented blocks of text or YAML. Helm cannot be installed from npm.
 * @param used collects the path of each referenced value.
 * @throws Error for any other syntax, so that nothing is skipped.
 */
export function render(template: string, scope: Scope, used: Set<string>): string {
  const lines: string[] = []
  /** For each open `if`: whether its lines are rendered. */
  const open: boolean[] = []
  const value = (path: string): unknown => {
    used.add(path)
    return path
      .slice(1)
      .split(".")
      .reduce<unknown>((found, name) => memberOf(found, name, path), scope)
  }
  for (const line of template.split("\n")) {
    const [, action] = ACTION.exec(line) ?? []
    if (action?.startsWith("if ")) open.push(isTrue(action.slice(3), value))
    else if (action === "else") open.push(!(open.pop() ?? false))
    else if (action === "end") open.pop()
    else if (action !== undefined) {
      const block = blockOf(action, value)
      if (open.every(Boolean)) lines.push(block)
    } else {
      const text = line.replaceAll(INLINE, (_, path: string, quote) =>
        quote === undefined ? String(value(path)) : JSON.stringify(String(value(path))),
      )
      if (text.includes("{{")) throw new Error(`this cannot be rendered here: ${line.trim()}`)
      if (open.every(Boolean)) lines.push(text)
    }
  }
  if (open.length > 0) throw new Error("an 'if' has no 'end'")
  return lines.join("\n")
}

function memberOf(found: unknown, name: string, path: string): unknown {
  if (typeof found === "object" && found !== null && name in found) {
    return Reflect.get(found, name)
  }
  throw new Error(`there is no ${path}`)
}

function isTrue(condition: string, value: (path: string) => unknown): boolean {
  const [, path, other] = /^eq (\.[\w.]+) "(\w*)"$/.exec(condition) ?? []
  if (path !== undefined) return value(path) === other
  const found = value(condition)
  // In Helm, an empty list or map is false.
  return typeof found === "object" && found !== null
    ? Object.keys(found).length > 0
    : Boolean(found)
}

function blockOf(action: string, value: (path: string) => unknown): string {
  const [, isYaml, path, width] = BLOCK.exec(action) ?? []
  if (path === undefined) throw new Error(`this cannot be rendered here: ${action}`)
  const text = isYaml === undefined ? String(value(path)) : stringify(value(path))
  return text.trimEnd().replaceAll(/^/gm, " ".repeat(Number(width)))
}
