import { ptr } from "bun:ffi"
import { cLibrary } from "../machine/c-library.ts"

/** The command line and environment for restarting a process. */
export interface ProcessStart {
  /** The program first. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Starts another program in this process, which keeps its id and standard streams. All other
 * resources are closed. It works from any thread, regardless of the others; `process.execve` only
 * works on the main thread.
 * @throws Error if that is not possible here. On success it does not return.
 */
export function replaceProcess({ words, environment }: ProcessStart): void {
  const { execve } = cLibrary({ execve: { args: ["ptr", "ptr", "ptr"], returns: "int" } })
  const [program = ""] = words
  const path = text(program)
  const parameters = texts(words)
  const variables = texts(Object.entries(environment).map(([name, value]) => `${name}=${value}`))
  execve(ptr(path), ptr(parameters.pointers), ptr(variables.pointers))
  throw new Error(`${program} could not be started`)
}

function text(content: string): Buffer {
  return Buffer.from(`${content}\0`)
}

/**
 * Returns pointers to texts, ending with 0. The texts must stay alive while the pointers are used.
 */
function texts(contents: readonly string[]): { pointers: BigUint64Array; kept: Buffer[] } {
  const kept = contents.map(text)
  return { pointers: new BigUint64Array([...kept.map((one) => BigInt(ptr(one))), 0n]), kept }
}
