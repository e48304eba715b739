import { type PointerEvent, type RefObject, useEffect, useRef, useState } from "react"
import { dot, type EditFiles, makeFiles, redraw, SIDE, square } from "./mask-drawing.ts"
import { t } from "../../../languages/text.ts"

export interface Mask {
  /** A ref for the canvas with the strokes. */
  readonly canvas: RefObject<HTMLCanvasElement | null>
  readonly hasImage: boolean
  readonly fault: string | undefined
  readonly choose: (file: File | null) => Promise<void>
  readonly clear: () => void
  readonly press: (event: PointerEvent<HTMLCanvasElement>) => void
  readonly paint: (event: PointerEvent<HTMLCanvasElement>) => void
  readonly lift: () => void
}

/**
 * Holds an image and its strokes. @param onFiles receives the files of an edit after each change.
 */
export function useMask(onFiles: (files: EditFiles | undefined) => void): Mask {
  const [bitmap, setBitmap] = useState<ImageBitmap>()
  const [fault, setFault] = useState<string>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const strokes = useRef<HTMLCanvasElement>(null)
  const isDown = useRef(false)
  const latest = useRef(onFiles)
  useEffect(() => {
    latest.current = onFiles
  }, [onFiles])
  useEffect(() => {
    if (bitmap !== undefined) begin(bitmap)
  }, [bitmap])

  function begin(bitmap: ImageBitmap): void {
    strokes.current = square()
    redraw(canvas.current, bitmap, strokes.current)
    void makeFiles(bitmap, undefined).then(latest.current)
  }

  async function choose(file: File | null): Promise<void> {
    if (file === null) return
    try {
      setBitmap(await createImageBitmap(file))
      setFault(undefined)
    } catch {
      setFault(t("{name} cannot be read as an image.", { name: file.name }))
    }
  }

  function paint(event: PointerEvent<HTMLCanvasElement>): void {
    if (!isDown.current || bitmap === undefined || strokes.current === null) return
    const box = event.currentTarget.getBoundingClientRect()
    const scale = SIDE / box.width
    dot(strokes.current, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale)
    redraw(canvas.current, bitmap, strokes.current)
  }

  function press(event: PointerEvent<HTMLCanvasElement>): void {
    isDown.current = true
    event.currentTarget.setPointerCapture(event.pointerId)
    paint(event)
  }

  function lift(): void {
    if (!isDown.current || bitmap === undefined) return
    isDown.current = false
    void makeFiles(bitmap, strokes.current ?? undefined).then(latest.current)
  }

  const clear = (): void => {
    if (bitmap !== undefined) begin(bitmap)
  }
  return { canvas, hasImage: bitmap !== undefined, fault, choose, clear, press, paint, lift }
}
