import { Button, FileButton, Group, Stack, Text } from "@mantine/core"
import { type EditFiles, SIDE } from "./mask-drawing.ts"
import { useMask } from "./use-mask.ts"
import { t } from "../../../languages/text.ts"

export interface EditImageProperties {
  readonly onChange: (files: EditFiles | undefined) => void
}

/**
 * Lets the user select an image and paint over the parts that may change. The image is cropped to its center square and
 * sent as PNG. Without painted parts, the entire image may change.
 */
export function EditImage({ onChange }: EditImageProperties) {
  const mask = useMask(onChange)
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <FileButton accept="image/*" onChange={(file) => void mask.choose(file)}>
          {(properties) => (
            <Button {...properties} variant="default" size="xs">
              {mask.hasImage ? t("Choose another") : t("Choose an image")}
            </Button>
          )}
        </FileButton>
        {mask.hasImage && (
          <Button variant="subtle" size="xs" onClick={mask.clear}>
            {t("Clear the mask")}
          </Button>
        )}
        <Text size="sm" c={mask.fault === undefined ? "dimmed" : "red"}>
          {mask.fault ??
            t("Paint over the area that may change. If nothing is painted, all of it may.")}
        </Text>
      </Group>
      <canvas
        ref={mask.canvas}
        width={SIDE}
        height={SIDE}
        hidden={!mask.hasImage}
        className="mask-canvas"
        role="img"
        aria-label={t("The image; painted areas may change")}
        onPointerDown={mask.press}
        onPointerMove={mask.paint}
        onPointerUp={mask.lift}
        onPointerCancel={mask.lift}
      />
    </Stack>
  )
}
