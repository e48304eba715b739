import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { keyDocument } from "./key-document.ts"

const COMMANDS = [
  {
    name: "pause",
    isPaused: true,
    description: "stop a key until it is resumed",
    done: "is paused. Running gateways refuse it within a second.",
  },
  { name: "resume", isPaused: false, description: "let a paused key work again", done: "works." },
] as const

/** `tollgate key pause|resume ID` */
export const registerKeyPause: RegisterCommand = (program, terminal) => {
  const group = commandGroup(program, "key", "keys: what callers send")
  for (const { name, isPaused, description, done } of COMMANDS) {
    group
      .command(name)
      .description(description)
      .argument("<ID>", "the key's id, as `tollgate key list` shows it")
      .action(async (id: string, _options: object, command) => {
        const key = await withInstallation(command, ({ keys }) =>
          keys.change(COMMAND_LINE, id, { is_paused: isPaused }),
        )
        outputOf(command, terminal).result(keyDocument(key), () => `Key ${id} ${done}`)
      })
  }
}
