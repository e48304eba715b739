import { readFileSync } from "node:fs"

/** The definition of a type in a declaration file. */
interface Definition {
  /** The namespaces that contain the definition, such as `ChatCompletionTool.`. */
  readonly scope: string
  readonly text: string
}

/** Types that a program declares, by their names with namespaces. */
export class Declarations {
  readonly #definitions = new Map<string, Definition[]>()

  /** @param files the paths of declaration files. */
  constructor(files: readonly string[]) {
    for (const file of files) this.#read(withoutComments(readFileSync(file, "utf8")), "")
  }

  #read(text: string, scope: string): void {
    const starts =
      /(?:^|[\s;}])(interface|namespace|type(?=\s+\w+[^,;{}]*?=))\s+(\w+)(?:<[^>{=]*>)?/g
    for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
      const [, kind, name = ""] = match
      const end = endOf(text, starts.lastIndex, kind === "type")
      const body = text.slice(starts.lastIndex, end)
      if (kind === "namespace")
        this.#read(body.slice(body.indexOf("{") + 1, -1), `${scope}${name}.`)
      else {
        const known = this.#definitions.get(scope + name) ?? []
        this.#definitions.set(scope + name, [...known, { scope: `${scope}${name}.`, text: body }])
      }
      starts.lastIndex = end
    }
  }

  /**
   * Returns the paths of all members of a type and of the types of its members.
   * @param isEnd whether the members of the value at a path are not needed.
   */
  pathsOf(type: string, isEnd: (path: string) => boolean = () => false): readonly string[] {
    if (!this.#definitions.has(type)) throw new Error(`no such type: ${type}`)
    const paths = new Set<string>()
    this.#walk({ scope: "", text: type }, "", { paths, isEnd, open: [] })
    return [...paths]
  }

  #walk({ scope, text }: Definition, place: string, walk: Walk): void {
    for (const [name, value] of membersOf(text)) {
      const path = place === "" ? name : `${place}.${name}`
      walk.paths.add(path)
      if (!walk.isEnd(path)) this.#walk({ scope, text: value }, path, walk)
    }
    for (const name of new Set(text.replaceAll(/\{[^]*\}/g, " ").match(/\b[A-Z][\w.]*/g))) {
      for (const definition of this.#find(name, scope)) {
        if (walk.open.includes(definition)) continue
        this.#walk(definition, place, { ...walk, open: [...walk.open, definition] })
      }
    }
  }

  #find(name: string, scope: string): readonly Definition[] {
    const bare = name.replace(/^.*(?:API|Api|Shared|Core)\./, "")
    for (let prefix = scope; ; prefix = prefix.replace(/[^.]*\.$/, "")) {
      const found = this.#definitions.get(prefix + bare)
      if (found !== undefined) return found
      if (prefix === "") return []
    }
  }
}

interface Walk {
  readonly paths: Set<string>
  readonly isEnd: (path: string) => boolean
  readonly open: readonly Definition[]
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "")
}

/** Returns the end of a definition: after the closing brace, or after the semicolon of a type. */
function endOf(text: string, start: number, isType: boolean): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === "{" || character === "(") depth++
    else if (character === "}" || character === ")") depth--
    if (depth === 0 && (isType ? character === ";" : character === "}")) return at + 1
  }
  return text.length
}

/** Returns the members of the objects that a type contains, with their types. */
function membersOf(text: string): [name: string, type: string][] {
  const members: [string, string][] = []
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at)) {
    const end = endOf(text, at, false)
    for (const member of splitMembers(text.slice(at + 1, end - 1))) {
      const match = /^\s*(?:readonly\s+)?['"]?([\w-]+)['"]?\??\s*:([^]*)$/.exec(member)
      if (match) members.push([match[1] ?? "", match[2] ?? ""])
    }
    at = end
  }
  return members
}

function splitMembers(text: string): string[] {
  const members: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if ("{(<[".includes(character)) depth++
    else if ("})]".includes(character) || (character === ">" && text.charAt(at - 1) !== "="))
      depth--
    else if (depth === 0 && character === ";") {
      members.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...members, text.slice(start)]
}
