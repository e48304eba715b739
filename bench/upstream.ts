import { join } from "node:path"

/** The simulated vendor that all subjects call. */
export interface Upstream extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** The address with OpenAI's prefix `/v1`. */
  readonly baseUrl: string
  /** Returns the number of responses that the vendor is currently writing. */
  open(): Promise<number>
  /** Returns the path of the vendor's last request. */
  lastPath(): Promise<string>
}

const SERVER = join(import.meta.dir, "upstream-server.ts")

/**
 * Starts a simulated vendor.
 * @param cadence milliseconds between the frames of a stream.
 */
export async function startUpstream(cadence: number): Promise<Upstream> {
  const child = Bun.spawn([process.execPath, SERVER, String(cadence)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const { port, counter } = JSON.parse(new TextDecoder().decode(value)) as {
    port: number
    counter: number
  }
  const ask = async () => {
    const response = await fetch(`http://127.0.0.1:${counter}/`)
    return (await response.json()) as { readonly open: number; readonly lastPath: string }
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    open: async () => (await ask()).open,
    lastPath: async () => (await ask()).lastPath,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
