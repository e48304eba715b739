import { tmpdir } from "node:os"
import { join } from "node:path"

/** The folder in which the agents are installed, outside the repository. */
export const AGENTS_FOLDER = process.env["TOLLGATE_AGENTS"] || join(tmpdir(), "tollgate-agents")
/** The folder with the agents' programs. */
export const PROGRAMS = join(AGENTS_FOLDER, "node_modules", ".bin")
