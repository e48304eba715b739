import { AZURE } from "./azure.ts"
import { BEDROCK } from "./bedrock.ts"
import { COMPATIBLE } from "./compatible.ts"
import { compatibleVendor } from "./compatible-vendor.ts"
import { KEY_VENDORS, keyVendor } from "./key-vendors.ts"
import type { Vendor } from "./vendor.ts"
import { VERTEX } from "./vertex.ts"

/** Every vendor, by its id. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [
    ...KEY_VENDORS.map((row) => keyVendor(row)),
    AZURE,
    BEDROCK,
    VERTEX,
    ...COMPATIBLE.map((row) => compatibleVendor(row)),
  ].map((vendor) => [vendor.id, vendor]),
)
