import { join } from "node:path"
import { bootName } from "../../machine/boot-name.ts"
import { NodeLocks } from "../../store/node-locks.ts"
import { CommandError } from "../exit-codes.ts"

/**
 * Locks a data folder for a command that must run alone, in addition to the locks of nodes. The
 * system releases the lock when the process ends for any reason.
 * @throws CommandError while another process holds it.
 */
export function lockFolder(data: string, command: "backup" | "restore"): Disposable {
  const locks = new NodeLocks(join(data, "run"), bootName())
  const taken = locks.take(command)
  if (taken === undefined && locks.stateOf(command, locks.machine) === "alive") {
    throw new CommandError(
      "failed",
      `another ${command} of ${data} is running`,
      "Wait for it, or stop it. The next one removes its incomplete files.",
    )
  }
  // If the file system does not support locks, the command runs without one.
  return taken ?? { [Symbol.dispose]() {} }
}
