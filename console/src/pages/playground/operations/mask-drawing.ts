/**
 * The files of an edit: a square PNG, and a mask that is transparent where the image may change.
 */
export interface EditFiles {
  readonly image: Blob
  readonly mask: Blob
}

/** Width and height of the sent images in pixels. */
export const SIDE = 1_024
const BRUSH = 90

/** Creates an empty canvas of the sent size. */
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

/** Draws the image with the strokes above it. */
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

/** Paints one dot of the brush, in canvas pixels. */
export function dot(strokes: HTMLCanvasElement, x: number, y: number): void {
  const brush = strokes.getContext("2d")
  if (brush === null) return
  brush.fillStyle = "#26a097"
  brush.beginPath()
  brush.arc(x, y, BRUSH / 2, 0, 2 * Math.PI)
  brush.fill()
}

/** Creates the files of an edit. Without strokes, the entire image may change. */
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
    // The mask is opaque except under the strokes. Without strokes, the mask is fully transparent.
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
