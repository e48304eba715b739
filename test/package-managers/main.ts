/**
 * `npm run test:package-managers -- [NAME]`: publishes the package to a registry on this machine, installs it from
 * there with each package manager, starts the gateway and calls it. The registry forwards requests for dependencies to
 * the registry that npm uses. It does not contain the packages that are never published, and a request for one of them
 * is a failure.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import facts from "../../package.json" with { type: "json" }
import { startListening } from "../support/process.ts"
import { MANAGERS, type PackageManager } from "./managers.ts"
import { type Registry, startRegistry } from "./registry.ts"

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url))
const MAX_REASON = 600

const folder = mkdtempSync(join(tmpdir(), "tollgate-managers-"))
const [only = ""] = process.argv.slice(2)
const chosen = MANAGERS.filter(({ name }) => name.toLowerCase().startsWith(only.toLowerCase()))
const counts = { passed: 0, failed: 0, skipped: 0 }
try {
  const upstream = (await run(ROOT, ["npm", "config", "get", "registry"])).trim().replace(/\/$/, "")
  await using registry = startRegistry(upstream)
  await publish(registry.url)
  const problem = await prepare(registry.url).catch(reasonOf)
  for (const manager of chosen) {
    const reason = problem ?? (await check(manager, registry).catch(reasonOf))
    const outcome = problem !== undefined ? "skipped" : reason === undefined ? "passed" : "failed"
    counts[outcome]++
    console.log([manager.name, outcome, reason].filter(Boolean).join(": "))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed === 0 ? 0 : 1

/**
 * Installs the package managers.
 * @returns the reason if this is not possible.
 */
async function prepare(registry: string): Promise<undefined> {
  const packages = [...new Set(chosen.flatMap((manager) => manager.package ?? []))]
  writeFileSync(join(folder, "package.json"), "{}\n")
  const install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
  if (packages.length > 0)
    await run(folder, [...install, ...packages], { npm_config_registry: registry })
}

/**
 * Tests one package manager.
 * @throws with the output of the step that failed.
 */
async function check(manager: PackageManager, registry: Registry): Promise<undefined> {
  const place = join(folder, manager.name)
  const home = join(place, "home")
  mkdirSync(home, { recursive: true })
  const { command, install, rejection } = manager
  const files = { "package.json": '{ "private": true }\n', ".npmrc": `registry=${registry.url}\n` }
  for (const [name, text] of Object.entries({ ...files, ...manager.files })) {
    writeFileSync(join(place, name), text)
  }
  const start = command.map((word) => (word.includes("/bin/") ? inModules(word) : word))
  const settings = environment(registry.url, home)
  await run(place, [...start, ...install], settings)
  const asksVersion = [...start, ...manager.run, "tollgate", "--version"]
  if (rejection !== undefined) {
    const said = await run(place, asksVersion, settings).catch(reasonOf)
    if (!said.includes(rejection)) throw new Error(`it does not name '${rejection}': ${said}`)
    return undefined
  }
  const version = await run(place, asksVersion, settings)
  if (version.trim() !== facts.version) throw new Error(`--version printed ${version}`)
  await call(place, settings)
  if (registry.privateRequests.length === 0) return undefined
  throw new Error(`it asked the registry for ${registry.privateRequests.join(", ")}`)
}

function inModules(path: string): string {
  return path.startsWith("/") ? path : join(folder, "node_modules", path)
}

/** Publishes the package like a release. The console is not built again if it is already built. */
async function publish(registry: string): Promise<void> {
  const token = `--${registry.replace("http:", "")}/:_authToken=none`
  const isBuilt = existsSync(join(ROOT, "console/dist/index.html"))
  if (!isBuilt) await run(ROOT, ["npm", "run", "build:console"])
  await run(ROOT, ["npm", "publish", "--ignore-scripts", "--registry", registry, token])
}

/** Starts the gateway with an empty data folder, and sends a chat to its simulator. */
async function call(place: string, settings: Record<string, string>): Promise<void> {
  const program = join(place, "node_modules/.bin/tollgate")
  await using serving = await startListening([program], { ...settings, TOLLGATE_PORT: "0" }, place)
  const key = /^key: (\S+)$/m.exec(serving.output())?.[1] ?? ""
  const response = await fetch(`${serving.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "sandbox/echo", messages: [{ role: "user", content: "Hello" }] }),
  })
  const text = await response.text()
  if (!response.ok || !text.includes("Hello")) throw new Error(`chat: ${response.status} ${text}`)
  const page = await fetch(`${serving.url}/console/`)
  if (!(await page.text()).includes("<title>")) throw new Error("the console is missing")
}

/**
 * Returns the environment of a machine with Node and without Bun. Each package manager has its own variable for the
 * registry.
 */
function environment(registry: string, home: string): Record<string, string> {
  return {
    PATH: `${dirname(Bun.which("node") ?? "")}:/usr/bin:/bin`,
    HOME: home,
    npm_config_registry: registry,
    npm_config_update_notifier: "false",
    BUN_CONFIG_REGISTRY: registry,
    YARN_REGISTRY: registry,
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
    YARN_ENABLE_TELEMETRY: "0",
    // By default, both package managers reject packages that were published very recently.
    YARN_NPM_MINIMAL_AGE_GATE: "0",
    pnpm_config_minimum_release_age: "0",
  }
}

/**
 * Runs a command.
 * @returns the standard output.
 * @throws with the whole output if the command fails.
 */
async function run(
  place: string,
  command: readonly string[],
  settings?: Record<string, string>,
): Promise<string> {
  const env = { ...process.env, ...settings }
  const child = Bun.spawn([...command], { cwd: place, env, stdout: "pipe", stderr: "pipe" })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) === 0) return output
  throw new Error(`${command.slice(0, 4).join(" ")} failed: ${output}${errors}`)
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  return reason.slice(-MAX_REASON)
}
