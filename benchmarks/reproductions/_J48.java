// Weka's J48 with its default options, in one virtual machine. _weka.py runs this file as it is.
//
//   version                    print Weka's version
//   folds DATA.arff ROWS.txt   one line a fold: errors, leaves, seconds of the fit
//   time DATA.arff N FIRST     fit on the FIRST rows N + 1 times, test on the rest; same lines
//
// The class is the last attribute. ROWS.txt has one line a fold: the test rows, from 0.
// Seconds cover buildClassifier alone: neither the start of the machine nor reading the file.
import java.io.BufferedReader;
import java.io.FileReader;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Version;

public class _J48 {
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "version" -> System.out.println(Version.VERSION);
            case "folds" -> runFolds(read(arguments[1]), arguments[2]);
            case "time" -> timeFits(read(arguments[1]), arguments[2], arguments[3]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    static Instances read(String path) throws Exception {
        try (BufferedReader file = new BufferedReader(new FileReader(path))) {
            Instances data = new Instances(file);
            data.setClassIndex(data.numAttributes() - 1);
            return data;
        }
    }

    static void runFolds(Instances data, String rowsPath) throws Exception {
        for (String line : Files.readAllLines(Paths.get(rowsPath))) {
            boolean[] isTest = new boolean[data.numInstances()];
            for (String row : line.split(" ")) {
                isTest[Integer.parseInt(row)] = true;
            }
            Instances train = select(data, isTest, false);
            Instances test = select(data, isTest, true);
            fitAndTest(train, test);
        }
    }

    static Instances select(Instances data, boolean[] isTest, boolean wanted) {
        Instances some = new Instances(data, data.numInstances());
        for (int i = 0; i < isTest.length; i++) {
            if (isTest[i] == wanted) {
                some.add(data.instance(i));
            }
        }
        return some;
    }

    static void timeFits(Instances data, String times, String first) throws Exception {
        boolean[] isTest = new boolean[data.numInstances()];
        Arrays.fill(isTest, Integer.parseInt(first), isTest.length, true);
        Instances train = select(data, isTest, false);
        Instances test = select(data, isTest, true);
        for (int i = 0; i <= Integer.parseInt(times); i++) {
            fitAndTest(train, test);
        }
    }

    static void fitAndTest(Instances train, Instances test) throws Exception {
        J48 tree = new J48();
        long begin = System.nanoTime();
        tree.buildClassifier(train);
        double seconds = (System.nanoTime() - begin) / 1e9;
        int wrong = 0;
        for (int i = 0; i < test.numInstances(); i++) {
            double predicted = tree.classifyInstance(test.instance(i));
            wrong += predicted == test.instance(i).classValue() ? 0 : 1;
        }
        System.out.println(wrong + " " + (int) tree.measureNumLeaves() + " " + seconds);
    }
}
