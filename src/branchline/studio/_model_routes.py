"""Routes of models: the list, a file in, a row or a file predicted."""

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from branchline.studio._bodies import PredictBody
from branchline.studio._signed_in import Id, signed_in, studio_of
from branchline.studio._uploads import (
    MODEL_ENDINGS,
    TABLE_ENDINGS,
    ending_in,
    received,
    shown_name,
)

__all__ = ["model_routes"]

model_routes = APIRouter(prefix="/api/models", dependencies=[Depends(signed_in)])


@model_routes.get("")
def models(request: Request) -> list[dict[str, Any]]:
    """Return all models, the newest first."""
    names = ("id", "name", "class", "target", "size")
    kept = studio_of(request).workspace.all("models")
    return [{name: one.get(name) for name in names} for one in kept]


@model_routes.put("/upload")
async def upload(request: Request, name: str = "model.branchline") -> Any:
    """Take a saved model."""
    studio = studio_of(request)
    ending, id = ending_in(name, MODEL_ENDINGS), studio.workspace.new_id()
    await received(request, studio.workspace.place("files", id, ending))
    plain = shown_name(name).removesuffix(".branchline")
    return await studio.lanes.ask("desk", "add_model", id=id, name=plain)


@model_routes.get("/{id}")
async def view(request: Request, id: Id) -> Any:
    """Return a model and the fields of its form."""
    return await studio_of(request).lanes.ask("desk", "view_model", id=id)


@model_routes.post("/{id}/predict")
async def predict(request: Request, id: Id, body: PredictBody) -> Any:
    """Predict one row."""
    return await studio_of(request).lanes.ask("desk", "predict_row", id=id, row=body.row)


@model_routes.put("/{id}/file")
async def predict_file(request: Request, id: Id, name: str = "table.csv") -> Any:
    """Predict the rows of a file."""
    studio = studio_of(request)
    studio.workspace.existing("models", id, ".branchline")
    ending, file = ending_in(name, TABLE_ENDINGS), studio.workspace.new_id()
    await received(request, studio.workspace.place("files", file, ending))
    return await studio.lanes.ask("desk", "predict_file", id=id, file=file, ending=ending)


@model_routes.get("/predictions/{id}")
def predictions(request: Request, id: Id) -> Response:
    """Return predictions as a file."""
    with studio_of(request).workspace.open("files", id, ".csv") as file:
        content = file.read()
    headers = {"content-disposition": 'attachment; filename="predictions.csv"'}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


@model_routes.get("/{id}/file")
def model_file(request: Request, id: Id) -> Response:
    """Return the model as a file."""
    with studio_of(request).workspace.open("models", id, ".branchline") as file:
        content = file.read()
    headers = {"content-disposition": 'attachment; filename="model.branchline"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


@model_routes.delete("/{id}")
def remove(request: Request, id: Id) -> dict[str, bool]:
    """Remove a model."""
    studio_of(request).workspace.remove("models", id)
    return {"removed": True}
