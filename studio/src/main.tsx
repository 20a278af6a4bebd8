import { render } from "preact";
import { App } from "./app";

const place = document.getElementById("studio");
if (place) render(<App />, place);
