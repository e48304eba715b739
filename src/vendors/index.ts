import { ANTHROPIC } from "./anthropic.ts"
import { AZURE } from "./azure.ts"
import { BEDROCK } from "./bedrock.ts"
import { COHERE } from "./cohere.ts"
import { COMPATIBLE } from "./compatible.ts"
import { compatibleVendor } from "./compatible-vendor.ts"
import { DEEPGRAM } from "./deepgram.ts"
import { ELEVENLABS } from "./elevenlabs.ts"
import { GOOGLE } from "./google.ts"
import { JINA } from "./jina.ts"
import { STABILITY } from "./stability.ts"
import type { Vendor } from "./vendor.ts"
import { VERTEX } from "./vertex.ts"
import { VOYAGE } from "./voyage.ts"

/** Every vendor, by its id. */
export const vendors: ReadonlyMap<string, Vendor> = new Map(
  [
    ANTHROPIC,
    AZURE,
    BEDROCK,
    COHERE,
    DEEPGRAM,
    ELEVENLABS,
    GOOGLE,
    JINA,
    STABILITY,
    VERTEX,
    VOYAGE,
    ...COMPATIBLE.map((row) => compatibleVendor(row)),
  ].map((vendor) => [vendor.id, vendor]),
)
