import { homedir } from "node:os"
import { join } from "node:path"
import { Argument } from "commander"
import { addressOf } from "../app/address.ts"
import { surroundingsOf } from "../app/state.ts"
import { isPriced } from "../catalog/model.ts"
import { loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import type { Environment } from "../config/substitute.ts"
import {
  type Tool,
  type ToolPlace,
  TOOLS,
  type ToolSettings,
  toolSettings,
} from "../management/contract/tools.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { CommandError } from "./exit-codes.ts"
import { loadOptions } from "./load-options.ts"
import { wholeSettings } from "./whole-settings.ts"
import { type WrittenFile, writeToolFile } from "./write-tool-file.ts"

interface ConnectOptions {
  readonly key?: string
  readonly model?: string
  readonly url?: string
  readonly write?: boolean
}

/** The model of the simulator, which answers where no vendor is set up. */
const SANDBOX_MODEL = "sandbox/echo"
/** Where a gateway listens on all of its addresses, this is one of them. */
const EVERYWHERE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** `tollgate connect TOOL` */
export const registerConnect: RegisterCommand = (program, terminal) => {
  program
    .command("connect")
    .description("show the settings that make a tool use this gateway")
    .addArgument(new Argument("<TOOL>", "the tool").choices(TOOLS))
    .option("--key <KEY>", "the key that the tool sends, such as sk-tg-...")
    .option("--model <MODEL>", "the model that it begins with")
    .option("--url <URL>", "the gateway's address, when it is not the settings'")
    .option("--write", "write the tool's settings file, where nothing of it is lost")
    .action(async (tool: Tool, options: ConnectOptions, command) => {
      const load = loadOptions(command)
      const { settings } = await wholeSettings(load, loadSettings(load))
      const { key, url = urlOf(settings), model = modelOf(settings) } = options
      const facts = { url: url.replace(/(\/+v1)?\/*$/, ""), key, model }
      const connection = toolSettings(tool, { ...facts, pathOf: pathIn(process.env) })
      const written = options.write === true ? await write(connection, key) : undefined
      const { text, file, after } = connection
      const document = { tool, ...facts, settings: text, file: file?.path, written }
      outputOf(command, terminal).result(document, () =>
        [
          ...(written ? writtenWords(written) : [connection.words, "", text]),
          ...(after ? ["", after] : []),
        ].join("\n"),
      )
    })
}

function write(connection: ToolSettings, key: string | undefined): Promise<WrittenFile> {
  if (key !== undefined || connection.file?.isWholeWithoutKey !== false) {
    return writeToolFile(connection)
  }
  throw new CommandError("usage", "The file would hold no key.", "Add --key sk-tg-...")
}

function pathIn(environment: Environment): (place: ToolPlace) => string {
  const home = environment["HOME"] || homedir()
  return ({ variable, folder, file }) =>
    join((variable && environment[variable]) || join(home, folder), file)
}

function writtenWords({ path, backup }: WrittenFile): string[] {
  return [`Written: ${path}`, ...(backup === undefined ? [] : [`What was there before: ${backup}`])]
}

function urlOf({ publicUrl, server: { host, port } }: Settings): string {
  return publicUrl ?? addressOf(EVERYWHERE[host] ?? host, port)
}

/** The first model for chat that can be called. */
function modelOf(settings: Settings): string {
  const models = surroundingsOf(settings).surroundings.catalog.list()
  return models.find((one) => one.kind === "chat" && isPriced(one))?.id ?? SANDBOX_MODEL
}
