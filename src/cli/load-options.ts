import type { Command } from "commander"
import type { LoadOptions } from "../config/load.ts"
import { vendors } from "../vendors/index.ts"
import { globalOptions } from "./command.ts"
import { listedModels } from "./listed-models.ts"

/** Returns the location of the settings, from a command's options and the environment. */
export function loadOptions(command: Command): LoadOptions {
  const { file, dataDirectory } = globalOptions(command)
  return {
    environment: process.env,
    vendors: [...vendors.values()],
    modelsOf: listedModels,
    ...(file === undefined ? {} : { file }),
    ...(dataDirectory === undefined ? {} : { dataDirectory }),
  }
}
