import { Text } from "@mantine/core"
import { t } from "../../../languages/text.ts"

/** Shown before the first question. */
export function Welcome() {
  return (
    <div className="chat-welcome">
      <Text fw={600}>{t("Ask a model something")}</Text>
      <Text size="sm" c="dimmed" mt={4}>
        {t(
          "Each response shows its tokens and exact cost. Attach images, add tools, compare up to three models, and copy any request as code.",
        )}
      </Text>
    </div>
  )
}
