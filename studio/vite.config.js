import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

// The names of the files do not depend on their content: the page is part of the repository.
export default defineConfig({
  plugins: [preact()],
  base: "/",
  build: {
    outDir: "../src/branchline/studio/page",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/studio.js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
});
