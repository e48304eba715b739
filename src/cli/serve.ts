import type { Command } from "commander"
import { surroundingsOf } from "../app.ts"
import type { LoadedSettings, LoadOptions } from "../config/load.ts"
import { banner } from "./banner.ts"
import type { RegisterCommand } from "./command.ts"
import { firstStart } from "./first-start.ts"
import {
  askedToEnd,
  effectiveSettings,
  loadForServing,
  SANDBOX_VARIABLE,
  startGateway,
  WORKER_VARIABLE,
} from "./gateway-process.ts"
import { loadOptions } from "./installation.ts"
import { startSandbox } from "./sandbox-process.ts"
import type { Terminal } from "./terminal.ts"
import { tellParent, Workers } from "./workers.ts"

/** `tollgate serve` */
export const registerServe: RegisterCommand = (program, terminal) => {
  program
    .command("serve")
    .description("start the gateway; without any vendor set up, with a simulator to try it on")
    .action(async (_options: object, command: Command) => {
      const load = loadOptions(command)
      if (process.env[WORKER_VARIABLE] === undefined) await serve(load, terminal)
      else await serveAsWorker(load)
    })
}

/** Serves until asked to end. */
export async function serve(
  load: LoadOptions,
  terminal: Terminal,
  alwaysSandbox = false,
): Promise<void> {
  const loaded = loadForServing(load)
  const { settings } = loaded
  await using running = new AsyncDisposableStack()
  const needsSandbox = alwaysSandbox || Object.keys(settings.providers).length === 0
  const sandboxUrl = needsSandbox ? running.use(await startSandbox()).url : undefined
  const key = await firstStart(settings)
  const ended = askedToEnd()
  const url =
    settings.server.workers > 1
      ? await startWorkers(running, loaded, sandboxUrl)
      : await startAlone(running, load, loaded, sandboxUrl)
  const { catalog } = surroundingsOf(effectiveSettings(settings, sandboxUrl)).surroundings
  terminal.writeOutput(`${banner({ url, key, catalog, hasSandbox: needsSandbox })}\n`)
  await ended
  terminal.writeNotice("Finishing the requests that run ...\n")
}

async function startAlone(
  running: AsyncDisposableStack,
  load: LoadOptions,
  loaded: LoadedSettings,
  sandboxUrl: string | undefined,
): Promise<string> {
  const gateway = await startGateway({ load, loaded, sandboxUrl, isShared: false })
  running.use(gateway)
  return gateway.app.url
}

async function startWorkers(
  running: AsyncDisposableStack,
  loaded: LoadedSettings,
  sandboxUrl: string | undefined,
): Promise<string> {
  const { server, publicUrl } = loaded.settings
  const words = process.argv.slice(Bun.main.startsWith("/$bunfs") ? 2 : 1)
  const workers = running.use(await Workers.start({ count: server.workers, words, sandboxUrl }))
  const reload = (): void => workers.signal("SIGHUP")
  process.on("SIGHUP", reload)
  running.defer(() => void process.off("SIGHUP", reload))
  return publicUrl ?? `http://${server.host}:${server.port}`
}

async function serveAsWorker(load: LoadOptions): Promise<void> {
  const loaded = loadForServing(load)
  const sandboxUrl = process.env[SANDBOX_VARIABLE]
  const ended = askedToEnd()
  await using _gateway = await startGateway({ load, loaded, sandboxUrl, isShared: true })
  tellParent()
  await ended
}
