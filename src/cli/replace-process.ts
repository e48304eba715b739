import { ptr } from "bun:ffi"
import { cLibrary } from "../machine/c-library.ts"

/** The command line and environment for restarting a process. */
export interface ProcessStart {
  /** The command line, starting with the program. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Starts another program in this process, which keeps its id and standard streams. All other resources are closed. It
 * works from any thread, while `process.execve` only works on the main thread. On success it does not return.
 * @throws Error if the platform does not support it.
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

/** Returns pointers to texts, with a 0 at the end. The texts must stay alive while the pointers are used. */
function texts(contents: readonly string[]): { pointers: BigUint64Array; kept: Buffer[] } {
  const kept = contents.map(text)
  return { pointers: new BigUint64Array([...kept.map((one) => BigInt(ptr(one))), 0n]), kept }
}
