import { tmpdir } from "node:os"
import { join } from "node:path"

/** The folder of the agents, outside the repository. */
export const AGENTS_FOLDER = process.env["TOLLGATE_AGENTS"] || join(tmpdir(), "tollgate-agents")
/** Where their programs are. */
export const PROGRAMS = join(AGENTS_FOLDER, "node_modules", ".bin")
