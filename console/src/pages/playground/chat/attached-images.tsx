import { Box, CloseButton, Group, Image } from "@mantine/core"
import { useState } from "react"
import type { AttachedImage } from "../conversation.ts"
import { MAX_IMAGES } from "../image-fault.ts"
import { readImages } from "../images.ts"
import { t } from "../../../languages/text.ts"

interface AttachedImagesProperties {
  readonly images: readonly AttachedImage[]
  readonly onRemove: (index: number) => void
}

/** The images attached to the next question. */
export function AttachedImages({ images, onRemove }: AttachedImagesProperties) {
  if (images.length === 0) return null
  return (
    <Group gap="xs" mb="xs">
      {images.map((image, index) => (
        <Box key={`${image.name} ${index.toString()}`} pos="relative">
          <Image src={image.url} alt={image.name} h={64} w="auto" radius="sm" />
          <CloseButton
            size="xs"
            variant="filled"
            pos="absolute"
            top={2}
            right={2}
            aria-label={t("Remove {name}", { name: image.name })}
            onClick={() => onRemove(index)}
          />
        </Box>
      ))}
    </Group>
  )
}

/** Holds the images of the next question, and the errors of files that could not be attached. */
export function useImages(begun: readonly AttachedImage[]) {
  const [images, setImages] = useState(begun)
  const [faults, setFaults] = useState<readonly string[]>([])

  async function add(files: readonly File[]) {
    const read = await readImages(files)
    const all = [...images, ...read.images]
    const tooMany =
      all.length > MAX_IMAGES
        ? [t("At most {max} images can be attached.", { max: MAX_IMAGES })]
        : []
    setImages(all.slice(0, MAX_IMAGES))
    setFaults([...read.faults, ...tooMany])
  }

  function remove(index: number) {
    setImages(images.filter((_, other) => other !== index))
    setFaults([])
  }

  function clear() {
    setImages([])
    setFaults([])
  }

  return { images, faults, add, remove, clear }
}
