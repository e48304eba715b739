import { withoutTrailing } from "#contract/trailing.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { CallOrigin } from "../../canon/message.ts"
import type { Tool } from "../../canon/tool.ts"

/** A rule for tool names. */
export interface NameRule {
  /** Matches names that the rule accepts. */
  readonly taken: RegExp
  /** Matches the characters that are replaced by `_`. */
  readonly foreign: RegExp
  /** Number of characters of an invalid name that are kept. */
  readonly keptLength: number
  /** Digits of the hash that distinguishes the replacement from similar names. */
  readonly hashLength: number
}

/** A rule whose names every vendor accepts. */
const NARROWEST: NameRule = {
  taken: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  // Also matches the place before a leading digit, because a digit may not come first.
  foreign: /[^A-Za-z0-9_]|^(?=\d)/g,
  keptLength: 55,
  hashLength: 8,
}

/**
 * Returns a name that fits a rule. An accepted name is unchanged, and another name is always replaced by the same name.
 */
export function fittedName(name: string, rule: NameRule): string {
  return rule.taken.test(name) ? name : markedName(name, name, rule)
}

/**
 * Returns the replacement for a name.
 * @param hashed identifies the original tool; its hash is unique.
 */
function markedName(name: string, hashed: string, rule: NameRule): string {
  // The caller chooses the length of a name, so only the kept part is rewritten.
  const start = name.slice(0, rule.keptLength)
  const kept = start.replaceAll(rule.foreign, "_").slice(0, rule.keptLength)
  return `${kept}_${Bun.hash(hashed).toString(36).slice(0, rule.hashLength)}`
}

/** Returns the name of a function that represents a member of a namespace. The same member always has the same name. */
export function flatName(namespace: string, name: string): string {
  const joined = `${withoutTrailing(namespace, "_")}__${name}`
  return NARROWEST.taken.test(joined) ? joined : marked(joined, namespace, name)
}

/** Returns an alternative name, for use if another tool has the plain name. */
export function otherFlatName(namespace: string, name: string): string {
  return marked(flatName(namespace, name), namespace, name)
}

function marked(joined: string, namespace: string, name: string): string {
  return markedName(joined, `${namespace}\0${name}`, NARROWEST)
}

/**
 * Returns the name of the function that a call refers to. OpenAI also gives a namespace to functions that it found by
 * tool search and that no request declares. These functions keep their own names.
 */
export function nameInRequest(tools: readonly Tool[] | undefined, origin: CallOrigin): string {
  const { name, namespace } = origin
  if (namespace === undefined || tools === undefined) return name
  let known = NAMESPACED.get(tools)
  if (known?.size !== tools.length) {
    const names = new Map<string, string>()
    for (const tool of tools.toReversed()) {
      const { namespace: own, name: member } = tool.origin ?? {}
      if (own !== undefined && member !== undefined) names.set(`${own}\0${member}`, tool.name)
    }
    NAMESPACED.set(tools, (known = { size: tools.length, names }))
  }
  return known.names.get(`${namespace}\0${name}`) ?? name
}

/** Tool names by namespace and name, cached for each list of tools. */
const NAMESPACED = new WeakMap<
  readonly Tool[],
  { readonly size: number; readonly names: ReadonlyMap<string, string> }
>()

/** Whether a request has tools that vendors with functions only cannot accept unchanged. */
export function hasOtherTools({ tools }: ChatRequest): boolean {
  return tools?.some(({ origin }) => origin !== undefined && origin.form !== "legacy") ?? false
}

/**
 * Returns the caller's declarations of tools that are sent as functions, by name; undefined if all tools are plain
 * functions.
 */
export function originsOf(request: ChatRequest): ReadonlyMap<string, CallOrigin> | undefined {
  let origins: Map<string, CallOrigin> | undefined
  for (const { name, origin } of request.addedTools?.all ?? request.tools ?? []) {
    if (origin !== undefined) (origins ??= new Map()).set(name, origin)
  }
  return origins
}
