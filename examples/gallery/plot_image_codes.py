"""
Vector quantization: a photograph as a list of codes
====================================================

Cut a photograph into blocks of 2 × 2 pixels. k-means finds 200 typical blocks. Store for each block
only the number of its nearest typical block: less than 2 bits a pixel in place of 8.
"""

import os

import numpy as np
from sklearn.datasets import load_sample_image

from branchline.charts import Axis, Chart, Images, Line
from branchline.cluster import KMeans

SMALL = os.environ.get("BRANCHLINE_SMALL") == "1"

# %%
# A photograph that comes with scikit-learn
# -----------------------------------------

photograph = load_sample_image("china.jpg").mean(axis=2)
high, wide = (64, 96) if SMALL else (256, 384)
image = photograph[100 : 100 + high, 100 : 100 + wide]
blocks = image.reshape(high // 2, 2, wide // 2, 2).swapaxes(1, 2).reshape(-1, 4)

# %%
# Codes
# -----

sizes = (4, 16) if SMALL else (4, 16, 64, 200)
shown, words, bits, errors = [image], ["8 bits a pixel"], [], []
for n_codes in sizes:
    codes = KMeans(n_codes, standardize=False, n_init=1, max_iter=50).fit(blocks)
    typical = np.array([blocks[codes.labels_ == k].mean(axis=0) for k in range(n_codes)])
    coded = typical[codes.labels_]
    back = coded.reshape(high // 2, wide // 2, 2, 2).swapaxes(1, 2).reshape(high, wide)
    bits.append(float(np.log2(n_codes) / 4))
    errors.append(float(np.sqrt(((back - image) ** 2).mean())))
    shown.append(back)
    words.append(f"{n_codes} codes: {bits[-1]:.2f} bits a pixel")
photographs = Images(tuple(shown), tuple(words), n_columns=2, title="The photograph and its codes")

# %%
# What is lost
# ------------

loss = Chart(
    (Line(bits, errors, "error", dots=True),),
    Axis("bits a pixel", zero=True),
    Axis("root mean squared error, of 255", zero=True),
    "Fewer bits, larger errors",
)
print({n: (round(b, 2), round(e, 1)) for n, b, e in zip(sizes, bits, errors, strict=True)})

# %%
# What was learned
# ----------------
#
# - Groups without a target are useful by themselves: a typical block stands for all blocks near it.
# - 200 codes need 1.91 bits a pixel, and few people see the difference. Four codes need 0.5 bits.
# - The errors sit at edges, where blocks are rare: k-means spends its codes where blocks are many.
