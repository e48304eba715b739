import type { ClientDialect } from "../../canon/dialect.ts"
import type { Loss } from "../../canon/extra.ts"
import type { AudioPart, ImagePart } from "../../canon/message.ts"
import type { PendingCharge } from "../billing/pending-charge.ts"

/**
 * Reports an image or audio in a response that the caller's format cannot contain. For a stream, only the receipt
 * contains the report, because the headers have already been sent.
 */
export function reportLostMedia(
  charge: Pick<PendingCharge, "losses">,
  { expresses }: ClientDialect,
  media: ImagePart | AudioPart,
): void {
  const name = `output.${media.type}` as const
  if (expresses.has(name) || charge.losses.some((loss) => loss.name === name)) return
  const isSaid = media.type === "audio" && media.transcript !== undefined
  const loss: Loss = { name, effect: isSaid ? "approximated" : "dropped" }
  charge.losses = [...charge.losses, loss]
}
