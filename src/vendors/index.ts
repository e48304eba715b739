import { ANTHROPIC } from "./anthropic.ts"
import { AZURE } from "./azure.ts"
import { BEDROCK } from "./bedrock.ts"
import { COHERE } from "./cohere.ts"
import { COMPATIBLE, compatibleVendor } from "./compatible.ts"
import { GOOGLE } from "./google.ts"
import type { Vendor } from "./vendor.ts"
import { VERTEX } from "./vertex.ts"

/** Every vendor, by its id. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [
    ANTHROPIC,
    AZURE,
    BEDROCK,
    COHERE,
    GOOGLE,
    VERTEX,
    ...COMPATIBLE.map((row) => compatibleVendor(row)),
  ].map((vendor) => [vendor.id, vendor]),
)
