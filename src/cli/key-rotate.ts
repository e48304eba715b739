import { COMMAND_LINE } from "../management/actor.ts"
import { commandGroup, outputOf, type RegisterCommand } from "./command.ts"
import { withInstallation } from "./installation.ts"
import { dateText, keyDocument } from "./key-document.ts"
import { formatFields } from "./output.ts"
import { durationArgument } from "./parse.ts"

const DEFAULT_GRACE = 24 * 60 * 60 * 1_000

/** `tollgate key rotate ID [--grace TIME]` */
export const registerKeyRotate: RegisterCommand = (program, terminal) => {
  commandGroup(program, "key", "keys: what callers send")
    .command("rotate")
    .description("give a key a new secret; the old one works on for a while")
    .argument("<ID>", "the key's id, as `tollgate key list` shows it")
    .option("--grace <TIME>", "how long the old secret works on (default: 24h)", durationArgument)
    .action(async (id: string, options: { grace?: number }, command) => {
      const grace = options.grace ?? DEFAULT_GRACE
      const { secret, ...key } = await withInstallation(command, ({ keys }) =>
        keys.rotate(COMMAND_LINE, id, grace),
      )
      outputOf(command, terminal).result(
        { ...keyDocument(key), key: secret },
        (style) =>
          // A line that scripts look for, so it is not padded.
          `key: ${secret}\n${formatFields(
            [
              ["id", key.id],
              ["old key", `works until ${dateText(Date.now() + grace)}`],
              ["note", "This is the only time the new key is shown; only a hash of it is kept."],
            ],
            style,
          )}`,
      )
    })
}
