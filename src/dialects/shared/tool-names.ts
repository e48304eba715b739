import { withoutTrailing } from "#contract/trailing.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { CallOrigin } from "../../canon/message.ts"
import type { Tool } from "../../canon/tool.ts"

/** A rule for tool names. */
export interface NameRule {
  /** Names that are accepted. */
  readonly taken: RegExp
  /** The characters that become `_`. */
  readonly foreign: RegExp
  /** Number of characters of an invalid name that are kept. */
  readonly keptLength: number
  /** Digits of the hash that distinguishes it from similar ones. */
  readonly hashLength: number
}

/** The narrowest of all vendors' rules. */
const NARROWEST: NameRule = {
  taken: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  // A digit may not come first.
  foreign: /[^A-Za-z0-9_]|^(?=\d)/g,
  keptLength: 55,
  hashLength: 8,
}

/** A name that fits a rule: unchanged if accepted, else always the same replacement. */
export function fittedName(name: string, rule: NameRule): string {
  return rule.taken.test(name) ? name : markedName(name, name, rule)
}

/** @param hashed identifies the original tool; its hash is unique. */
function markedName(name: string, hashed: string, rule: NameRule): string {
  // The caller determines the length of a name, so only the kept part is rewritten.
  const start = name.slice(0, rule.keptLength)
  const kept = start.replaceAll(rule.foreign, "_").slice(0, rule.keptLength)
  return `${kept}_${Bun.hash(hashed).toString(36).slice(0, rule.hashLength)}`
}

/** The name of a function that stands for a member of a namespace: deterministic. */
export function flatName(namespace: string, name: string): string {
  const joined = `${withoutTrailing(namespace, "_")}__${name}`
  return NARROWEST.taken.test(joined) ? joined : marked(joined, namespace, name)
}

/** The alternative name, if another tool has the plain one. */
export function otherFlatName(namespace: string, name: string): string {
  return marked(flatName(namespace, name), namespace, name)
}

function marked(joined: string, namespace: string, name: string): string {
  return markedName(joined, `${namespace}\0${name}`, NARROWEST)
}

/**
 * Returns the name of the function that a call refers to. OpenAI also gives a namespace to functions that it found by
 * tool search, and that no request declares: they keep their own names.
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

/** Tool names of long lists, by namespace and name. */
const NAMESPACED = new WeakMap<
  readonly Tool[],
  { readonly size: number; readonly names: ReadonlyMap<string, string> }
>()

/** Whether a request has tools that vendors with only functions cannot take unchanged. */
export function hasOtherTools({ tools }: ChatRequest): boolean {
  return tools?.some(({ origin }) => origin !== undefined && origin.form !== "legacy") ?? false
}

/** Returns the original tools of functions of a request, by name; undefined if all are plain functions. */
export function originsOf(request: ChatRequest): ReadonlyMap<string, CallOrigin> | undefined {
  let origins: Map<string, CallOrigin> | undefined
  for (const { name, origin } of request.broughtTools?.all ?? request.tools ?? []) {
    if (origin !== undefined) (origins ??= new Map()).set(name, origin)
  }
  return origins
}
