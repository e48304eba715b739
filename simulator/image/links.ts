import type { Exchange } from "../exchange.ts"
import { drawPng, type Size, sizeOf } from "./draw.ts"

/** The path of links to images. */
const FOLDER = "/simulated-images/"

/** Returns a link to an image. Like links of vendors, it works without a key. */
export function linkTo(exchange: Exchange, seed: string, { width, height }: Size): string {
  const { origin } = new URL(exchange.request.url)
  const name = Buffer.from(seed).toString("hex").slice(0, 400)
  return `${origin}${FOLDER}${width}x${height}-${name}.png`
}

/** Whether a path belongs to a linked image. */
export function isLink(path: string): boolean {
  return path.startsWith(FOLDER)
}

/** Responds with the image. */
export function answerLink(exchange: Exchange): Response {
  exchange.finish()
  const name = exchange.path.slice(FOLDER.length).replace(/\.png$/, "")
  const dash = name.indexOf("-")
  const size = sizeOf(name.slice(0, dash)) ?? { width: 64, height: 64 }
  const seed = Buffer.from(name.slice(dash + 1), "hex").toString()
  return new Response(new Uint8Array(drawPng(seed, size)), {
    headers: { "content-type": "image/png" },
  })
}
