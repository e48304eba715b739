import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const MAIN = new URL("../../src/main.ts", import.meta.url).pathname

/** A data directory and a settings file of their own. */
export interface Installation extends Disposable {
  readonly data: string
  readonly config: string
}

export function createInstallation(yaml: string): Installation {
  const data = mkdtempSync(join(tmpdir(), "tollgate-process-"))
  const config = join(data, "tollgate.yaml")
  writeFileSync(config, yaml)
  return { data, config, [Symbol.dispose]: () => rmSync(data, { recursive: true, force: true }) }
}

/** An environment in which no vendor is switched on by whoever runs the tests. */
export function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? "",
    BUN_CONFIG_MAX_HTTP_REQUESTS: "65535",
    ...extra,
  }
}

/** Runs a command of the CLI to its end. */
export async function runCommand(
  installation: Installation,
  ...words: string[]
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const command = [
    process.execPath,
    MAIN,
    "--config",
    installation.config,
    "--data",
    installation.data,
  ]
  const child = Bun.spawn([...command, ...words], {
    env: cleanEnvironment(),
    stdout: "pipe",
    stderr: "pipe",
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

/** Runs a command with `--json` and gives what it printed. @throws when it fails. */
export async function runJson<T>(installation: Installation, ...words: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await runCommand(installation, "--json", ...words)
  if (exitCode !== 0) throw new Error(`tollgate ${words.join(" ")} failed: ${stdout}${stderr}`)
  return JSON.parse(stdout) as T
}

/** A running `tollgate serve`. */
export interface ServingProcess extends AsyncDisposable {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">
  readonly url: string
  /** All of standard output so far. */
  output(): string
}

/** Starts `tollgate serve` and waits until it says where it listens. */
export async function startServing(
  installation: Installation,
  environment: Record<string, string> = {},
): Promise<ServingProcess> {
  const command = [
    process.execPath,
    MAIN,
    "--config",
    installation.config,
    "--data",
    installation.data,
  ]
  const child = Bun.spawn([...command, "serve"], {
    env: cleanEnvironment(environment),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  let output = ""
  const decoder = new TextDecoder()
  const ready = Promise.withResolvers<string>()
  void (async () => {
    for await (const piece of child.stdout) {
      output += decoder.decode(piece, { stream: true })
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1]
      if (url !== undefined && output.includes("\n\n")) ready.resolve(url)
    }
    const errors = await new Response(child.stderr).text()
    ready.reject(new Error(`serve ended before it was ready: ${output}${errors}`))
  })()
  return {
    process: child,
    url: await ready.promise,
    output: () => output,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM")
      await child.exited
    },
  }
}
