import DefaultTheme from "vitepress/theme"
import "./style.css"

// eslint-disable-next-line import/no-default-export -- VitePress reads the default export.
export default DefaultTheme
