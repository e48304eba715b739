import { Box, CloseButton, Group, Image } from "@mantine/core"
import { useState } from "react"
import type { Picture } from "../conversation.ts"
import { MOST_PICTURES } from "../picture-fault.ts"
import { readPictures } from "../pictures.ts"

interface AttachedPicturesProperties {
  readonly pictures: readonly Picture[]
  readonly onRemove: (index: number) => void
}

/** The pictures that go along with the next question. */
export function AttachedPictures({ pictures, onRemove }: AttachedPicturesProperties) {
  if (pictures.length === 0) return null
  return (
    <Group gap="xs" mb="xs">
      {pictures.map((picture, index) => (
        <Box key={`${picture.name} ${index.toString()}`} pos="relative">
          <Image src={picture.url} alt={picture.name} h={64} w="auto" radius="sm" />
          <CloseButton
            size="xs"
            variant="filled"
            pos="absolute"
            top={2}
            right={2}
            aria-label={`Remove ${picture.name}`}
            onClick={() => onRemove(index)}
          />
        </Box>
      ))}
    </Group>
  )
}

/** The pictures of the next question, and what is wrong with files that are none. */
export function usePictures() {
  const [pictures, setPictures] = useState<readonly Picture[]>([])
  const [faults, setFaults] = useState<readonly string[]>([])

  async function add(files: readonly File[]) {
    const read = await readPictures(files)
    const all = [...pictures, ...read.pictures]
    const tooMany =
      all.length > MOST_PICTURES ? [`At most ${MOST_PICTURES} images can be attached.`] : []
    setPictures(all.slice(0, MOST_PICTURES))
    setFaults([...read.faults, ...tooMany])
  }

  function remove(index: number) {
    setPictures(pictures.filter((_, other) => other !== index))
    setFaults([])
  }

  function clear() {
    setPictures([])
    setFaults([])
  }

  return { pictures, faults, add, remove, clear }
}
