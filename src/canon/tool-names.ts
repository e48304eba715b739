import type { CallOrigin, ChatRequest, Tool } from "./chat.ts"

/** What every vendor takes as a name: the narrowest of their rules. */
const TAKEN = /^[A-Za-z_][A-Za-z0-9_]*$/
const LONGEST = 64
/** Digits of the hash that tells a name from its like. */
const HASH_LENGTH = 8

/** The name of a function that stands for a member of a namespace: the same for the same two. */
export function flatName(namespace: string, name: string): string {
  const joined = `${namespace.replace(/_+$/, "")}__${name}`
  if (joined.length <= LONGEST && TAKEN.test(joined)) return joined
  return marked(joined, namespace, name)
}

/** The other name, where the plain one is another tool's already. */
export function otherFlatName(namespace: string, name: string): string {
  return marked(flatName(namespace, name), namespace, name)
}

function marked(joined: string, namespace: string, name: string): string {
  const hash = Bun.hash(`${namespace}\0${name}`).toString(36).slice(0, HASH_LENGTH)
  const kept = joined.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_")
  return `${kept.slice(0, LONGEST - HASH_LENGTH - 1)}_${hash}`
}

/**
 * The name of the function that stands for what a call names. OpenAI gives functions that it has searched
 * for a namespace too, in which nobody declared them: they keep their own names.
 */
export function nameInRequest(tools: readonly Tool[] | undefined, origin: CallOrigin): string {
  const { name, namespace } = origin
  if (namespace === undefined) return name
  const declared = tools?.find(
    (tool) => tool.origin?.namespace === namespace && tool.origin.name === name,
  )
  return declared?.name ?? name
}

/** Whether a request has tools that only a vendor of more than functions takes as they are. */
export function hasOtherTools({ tools }: ChatRequest): boolean {
  return tools?.some(({ origin }) => origin !== undefined && origin.form !== "legacy") ?? false
}

/** What functions of a request stand for, by their names; undefined where all are what they are. */
export function originsOf(request: ChatRequest): ReadonlyMap<string, CallOrigin> | undefined {
  let origins: Map<string, CallOrigin> | undefined
  for (const { name, origin } of request.broughtTools?.all ?? request.tools ?? []) {
    if (origin !== undefined) (origins ??= new Map()).set(name, origin)
  }
  return origins
}
