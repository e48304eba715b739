import { IS_EXECUTABLE } from "../runtime.ts"

/** The simulator in a separate process that ends with this one. */
export interface SandboxProcess extends AsyncDisposable {
  readonly url: string
}

/** Starts the simulator. @throws Error if it does not start. */
export async function startSandbox(): Promise<SandboxProcess> {
  const child = Bun.spawn([process.execPath, ...simulatorWords()], {
    // The simulator ends when its standard input closes, so it never outlives a killed gateway.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const line = new TextDecoder().decode(value)
  const ready = JSON.parse(line.split("\n")[0] ?? "") as { url?: string }
  if (ready.url === undefined) throw new Error(`the simulator did not start: ${line}`)
  exemptFromProxy(new URL(ready.url).host)
  return {
    url: ready.url,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await child.exited
    },
  }
}

/** Returns the simulator's command line. The executable contains the simulator; in a checkout it is next to `src`. */
function simulatorWords(): string[] {
  if (IS_EXECUTABLE) return ["simulator"]
  return [Bun.fileURLToPath(new URL("../../simulator/main.ts", import.meta.url))]
}

/** Exempts a host of this machine from the proxy, in this process and its children. */
function exemptFromProxy(host: string): void {
  const variable = process.env["no_proxy"] ? "no_proxy" : "NO_PROXY"
  const hosts = process.env[variable]
  process.env[variable] = hosts ? `${hosts},${host}` : host
}
