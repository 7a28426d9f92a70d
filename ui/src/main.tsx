/** Where the page begins: one comparison that the page holds, or the pages of `veer ui`. */
import "@xyflow/react/dist/style.css";
import { createRoot } from "react-dom/client";
import { App } from "./app/App.tsx";
import { Comparison } from "./Comparison.tsx";
import "./style.css";
import { elkWorker, surroundings } from "./surroundings.ts";

performance.mark("veer-view-started");
void elkWorker().then(() => performance.mark("veer-layout-ready"));
const root = document.getElementById("veer")!;
root.classList.add("live");
if (surroundings.bounded) root.classList.add("bounded");
createRoot(root).render(surroundings.data ? <Comparison data={surroundings.data} /> : <App />);
