import { COMPATIBLE, compatibleVendor } from "./compatible.ts"
import type { Vendor } from "./vendor.ts"

/** Every vendor, by its id. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  COMPATIBLE.map((row) => [row.id, compatibleVendor(row)]),
)
