import type { Picture } from "./conversation.ts"
import { pictureFault } from "./picture-fault.ts"

/** What became of the files that a person gave: pictures, and for the others why not. */
export interface ReadPictures {
  readonly pictures: readonly Picture[]
  readonly faults: readonly string[]
}

/** Reads files as data URLs. */
export async function readPictures(files: readonly File[]): Promise<ReadPictures> {
  const pictures: Picture[] = []
  const faults: string[] = []
  for (const file of files) {
    const fault = pictureFault(file)
    if (fault === undefined) pictures.push({ name: file.name, url: await dataUrl(file) })
    else faults.push(fault)
  }
  return { pictures, faults }
}

function dataUrl(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.addEventListener("error", () => reject(new Error("The file could not be read.")))
    reader.readAsDataURL(file)
  })
}
