/** What an edit sends: a square PNG, and a mask that is transparent where the image may change. */
export interface EditFiles {
  readonly image: Blob
  readonly mask: Blob
}

/** Pixels at each side of what is sent. */
export const SIDE = 1_024
const BRUSH = 90

/** An empty canvas of the size that is sent. */
export function square(): HTMLCanvasElement {
  const canvas = document.createElement("canvas")
  canvas.width = SIDE
  canvas.height = SIDE
  return canvas
}

function drawMiddle(brush: CanvasRenderingContext2D, bitmap: ImageBitmap): void {
  const side = Math.min(bitmap.width, bitmap.height)
  const left = (bitmap.width - side) / 2
  const top = (bitmap.height - side) / 2
  brush.drawImage(bitmap, left, top, side, side, 0, 0, SIDE, SIDE)
}

/** Shows the image with what is painted over it. */
export function redraw(
  canvas: HTMLCanvasElement | null,
  bitmap: ImageBitmap,
  strokes: HTMLCanvasElement,
) {
  const brush = canvas?.getContext("2d")
  if (!brush) return
  brush.clearRect(0, 0, SIDE, SIDE)
  drawMiddle(brush, bitmap)
  brush.globalAlpha = 0.55
  brush.drawImage(strokes, 0, 0)
  brush.globalAlpha = 1
}

/** Paints one touch of the brush, in pixels of the canvas. */
export function dot(strokes: HTMLCanvasElement, x: number, y: number): void {
  const brush = strokes.getContext("2d")
  if (brush === null) return
  brush.fillStyle = "#26a097"
  brush.beginPath()
  brush.arc(x, y, BRUSH / 2, 0, 2 * Math.PI)
  brush.fill()
}

/** The files of an edit. Without strokes all of the image may change. */
export async function makeFiles(
  bitmap: ImageBitmap,
  strokes: HTMLCanvasElement | undefined,
): Promise<EditFiles | undefined> {
  const image = square()
  const imageBrush = image.getContext("2d")
  const mask = square()
  const maskBrush = mask.getContext("2d")
  if (imageBrush === null || maskBrush === null) return undefined
  drawMiddle(imageBrush, bitmap)
  if (strokes !== undefined) {
    // Opaque but for the strokes; without strokes all of it is transparent.
    maskBrush.fillStyle = "#000000"
    maskBrush.fillRect(0, 0, SIDE, SIDE)
    maskBrush.globalCompositeOperation = "destination-out"
    maskBrush.drawImage(strokes, 0, 0)
  }
  const files = await Promise.all([png(image), png(mask)])
  const [imageFile, maskFile] = files
  return imageFile === null || maskFile === null ? undefined : { image: imageFile, mask: maskFile }
}

function png(canvas: HTMLCanvasElement): Promise<Blob | null> {
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"))
}
