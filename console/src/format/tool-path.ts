import type { ToolPlace } from "tollgate-contract/tools.ts"

/** Where a tool's settings are on the reader's machine, as far as a page can know. */
export function toolPath({ folder, file }: ToolPlace): string {
  return ["~", folder, file].filter((part) => part !== "").join("/")
}
