import type { AttachedImage } from "./conversation.ts"
import { imageFault } from "./image-fault.ts"
import { t } from "../../languages/text.ts"

/** The images among the given files, and the errors of the other files. */
export interface ReadImages {
  readonly images: readonly AttachedImage[]
  readonly faults: readonly string[]
}

/** Reads files as data URLs. */
export async function readImages(files: readonly File[]): Promise<ReadImages> {
  const images: AttachedImage[] = []
  const faults: string[] = []
  for (const file of files) {
    const fault = imageFault(file)
    if (fault === undefined) images.push({ name: file.name, url: await dataUrl(file) })
    else faults.push(fault)
  }
  return { images, faults }
}

function dataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.addEventListener("error", () => reject(new Error(t("The file could not be read."))))
    reader.readAsDataURL(file)
  })
}
