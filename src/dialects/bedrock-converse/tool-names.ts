import type { Tool } from "../../canon/chat.ts"
import { LONGEST_NAME } from "./identifiers.ts"

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
/** What is kept of a name that does not fit, before a mark that tells it from its like. */
const KEPT_LENGTH = LONGEST_NAME - 16

/** A tool's name as Converse takes it: itself where it fits, else always the same other one. */
export function fittedName(name: string): string {
  if (FITTING.test(name)) return name
  const kept = name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, KEPT_LENGTH)
  return `${kept}_${Bun.hash(name).toString(36)}`
}

/** The caller's own names of tools, by those that Converse was given. */
export function originalNames(tools: readonly Tool[] = []): ReadonlyMap<string, string> {
  const originals = new Map<string, string>()
  for (const { name } of tools) {
    const fitted = fittedName(name)
    if (fitted !== name) originals.set(fitted, name)
  }
  return originals
}
