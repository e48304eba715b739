import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { programWords } from "../../runtime.ts"
import { CommandError } from "../exit-codes.ts"

const START_TIMEOUT_MS = 30_000
const RESTART_DELAY_MS = 300
/** Maximum characters of the output quoted if a node fails to start. */
const MAX_QUOTED_OUTPUT = 600

/** Start options of the nodes. */
export interface NodePlan {
  /** The settings file, if there is one. */
  readonly file: string | undefined
  /** The shared data folder; absent if each node has its own. */
  readonly data: string | undefined
}

/** A gateway of the drill. It runs in its own process, which the drill ends and restarts. */
export class DrillNode implements AsyncDisposable {
  /** The node's address; undefined while it does not listen. */
  url: string | undefined
  readonly #command: readonly string[]
  readonly #ownFolder: string | undefined
  #child: Bun.Subprocess<"ignore", "pipe", "pipe"> | undefined

  private constructor({ file, data }: NodePlan) {
    this.#ownFolder =
      data === undefined ? mkdtempSync(join(tmpdir(), "tollgate-drill-")) : undefined
    const config = file === undefined ? [] : ["--config", file]
    const folder = ["--data", data ?? this.#ownFolder ?? ""]
    this.#command = [...programWords(), ...config, ...folder, "--json", "serve"]
  }

  /**
   * Starts a node.
   * @throws CommandError if it does not start.
   */
  static async start(plan: NodePlan): Promise<DrillNode> {
    const node = new DrillNode(plan)
    try {
      await node.#start()
      return node
    } catch (error) {
      await node[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Ends the node like an operator (SIGTERM) or a crashing machine (SIGKILL) would, and restarts it. */
  async restart(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.url = undefined
    await this.#end(signal)
    await Bun.sleep(RESTART_DELAY_MS)
    await this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGTERM")
    if (this.#ownFolder !== undefined) rmSync(this.#ownFolder, { recursive: true, force: true })
  }

  async #end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#child?.kill(signal)
    await this.#child?.exited
    this.#child = undefined
  }

  async #start(): Promise<void> {
    const child = Bun.spawn([...this.#command], {
      // Listens on any free port, regardless of the settings, because the configured port may be in
      // use.
      env: {
        ...process.env,
        TOLLGATE_PORT: "0",
        TOLLGATE_HOST: "127.0.0.1",
        TOLLGATE_WORKERS: "1",
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    this.#child = child
    let errorOutput = ""
    void readText(child.stderr, (text) => {
      errorOutput = (errorOutput + text).slice(-MAX_QUOTED_OUTPUT)
      return true
    })
    let output = ""
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS)
    await readText(child.stdout, (text) => {
      output += text
      return !output.includes("\n}\n")
    })
    clearTimeout(timer)
    this.url = /"url": "(http:[^"]+)"/.exec(output)?.[1]
    if (this.url !== undefined) return
    await child.exited
    throw new CommandError("failed", `a node did not start: ${errorOutput.trim()}`)
  }
}

/**
 * Reads a stream as text.
 * @param take receives each chunk and returns whether to continue.
 */
async function readText(
  stream: ReadableStream<Uint8Array>,
  take: (text: string) => boolean,
): Promise<void> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !take(decoder.decode(value, { stream: true }))) return
  }
}
