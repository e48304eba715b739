import type { ToolPlace } from "tollgate-contract/tool-settings.ts"

/** Returns the likely path of a tool's settings on the reader's machine. */
export function toolPath({ folder, file }: ToolPlace): string {
  return ["~", folder, file].filter((part) => part !== "").join("/")
}
